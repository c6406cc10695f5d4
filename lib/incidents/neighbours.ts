import { db, withItsOwnPlan } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { matching, visible, visibleIn } from "#lib/incidents/queries.ts";
import type { CrossEventQuery, State } from "#lib/incidents/schema.ts";
import { incidentsVisibleTo, type Actor } from "#lib/operation/policy.ts";

/** Going through a list: from one incident to the next in its order, and through all of it in parts. */

export type Neighbour = { id: string; title: string; slug: string };
export type Filters = Omit<CrossEventQuery, "page" | "limit">;

/**
 * What stands before and after an incident in a list, also where the incident itself doesn't match it any more.
 * @throws AppError NOT_FOUND when there is no such incident that the actor may see
 */
export async function neighboursOf(
  actor: Actor,
  incidentId: string,
  query: Filters,
): Promise<{ previous: Neighbour | null; next: Neighbour | null }> {
  const fits = matching(actor, await visibleIn(actor, query.event), query);
  const keys = keysOf(query);
  const beside = (where: "after" | "before") => Prisma.sql`(
    select json_build_object('id', i.id, 'title', i.title, 'slug', e.slug)
    from incidents i join events e on e.id = i.event_id
    where ${fits} and ${beyond(keys, where)} order by ${inOrder(keys, where)} limit 1)`;
  const [found] = await db.$queryRaw<{ previous: Neighbour | null; next: Neighbour | null }[]>`
    with here as materialized (
      select ${Prisma.join(keys.map(({ name, value }) => Prisma.sql`${value} as ${Prisma.raw(name)}`))}
      from incidents i where i.id = ${incidentId}::uuid and ${visible(incidentsVisibleTo(actor), actor)}
    )
    select ${beside("before")} as previous, ${beside("after")} as next from here`;
  if (!found) throw notFound("This incident");
  return found;
}

/** What a list is ordered by, the last of which tells all of them apart. */
type OrderKey = { name: string; value: Prisma.Sql; up: boolean };

function keysOf({ sort, order }: Pick<Filters, "sort" | "order">): OrderKey[] {
  const up = order === "asc";
  const key = (name: string, value: Prisma.Sql, rising = up): OrderKey => ({ name, value, up: rising });
  const newest = (rising: boolean) => [
    key("created_at", Prisma.sql`i.created_at`, rising),
    key("id", Prisma.sql`i.id`, rising),
  ];
  switch (sort) {
    case "title":
      return [key("title", Prisma.sql`lower(i.title)`), key("id", Prisma.sql`i.id`)];
    case "status":
      return [key("state", Prisma.sql`i.state`), ...newest(false)];
    case "due":
      // What has no time stands last, either way.
      return [
        key("due_at", Prisma.sql`coalesce(i.due_at, ${up ? "infinity" : "-infinity"}::timestamptz)`),
        ...newest(false),
      ];
    default:
      return newest(up);
  }
}

const here = ({ name }: OrderKey) => Prisma.raw(`(select h.${name} from here h)`);

/** Beyond the incident itself. The first key also bounds the whole, for which there may be an index. */
function beyond(keys: readonly OrderKey[], where: "after" | "before"): Prisma.Sql {
  const further = ({ up }: OrderKey) => Prisma.raw(up === (where === "after") ? ">" : "<");
  const [first] = keys as [OrderKey];
  const ways = keys.map((key, at) => {
    const same = keys.slice(0, at).map((one) => Prisma.sql`${one.value} = ${here(one)}`);
    return Prisma.join([...same, Prisma.sql`${key.value} ${further(key)} ${here(key)}`], " and ");
  });
  return Prisma.sql`${first.value} ${further(first)}= ${here(first)} and (${Prisma.join(ways, " or ")})`;
}

const inOrder = (keys: readonly OrderKey[], where: "after" | "before") =>
  Prisma.join(
    keys.map(
      ({ value, up }) => Prisma.sql`${value} ${Prisma.raw(up === (where === "after") ? "asc" : "desc")}`,
    ),
  );

export type Ref = {
  id: string;
  eventId: string;
  slug: string;
  title: string;
  state: State;
  createdAt: Date;
  updatedAt: Date;
};
/** Of an incident: a part goes on with what is older. */
export type Place = { createdAt: string; id: string };

/**
 * A part of all that match, in the events whose team the actor is on, newest first whatever the list's order: what
 * is changed on the way may leave the list or move in it, and nothing is passed over or met twice. Planned for its values,
 * so that a part begins in the index where the one before ended.
 */
export async function refsOf(
  actor: Actor,
  query: Omit<Filters, "sort" | "order"> & { limit: number },
  after: Place | undefined,
): Promise<{ refs: Ref[]; complete: boolean }> {
  const visibility = await visibleIn(actor, query.event);
  const ofTeam = visibility.everything ? visibility : { ...visibility, own: [] };
  const older = after
    ? Prisma.sql`(i.created_at, i.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`true`;
  const rows = await withItsOwnPlan<Ref>(Prisma.sql`
    select i.id, i.event_id as "eventId", e.slug, i.title, i.state::text as state, i.created_at as "createdAt",
      i.updated_at as "updatedAt"
    from incidents i join events e on e.id = i.event_id where ${matching(actor, ofTeam, query)} and ${older}
    order by i.created_at desc, i.id desc limit ${query.limit + 1}::int`);
  return { refs: rows.slice(0, query.limit), complete: rows.length <= query.limit };
}
