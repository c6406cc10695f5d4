import { db } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { IS_AWAITED, IS_DUE, IS_OPEN, visible, visibleIn } from "#lib/incidents/queries.ts";
import { OPEN_STATES, STATES } from "#lib/incidents/schema.ts";
import { incidentsVisibleTo, type Actor, type Visibility } from "#lib/operation/policy.ts";
import {
  MOST_COUNTED,
  MOST_EVENTS,
  type Marks,
  type Summary,
  type SummaryQuery,
} from "#lib/triage/schema.ts";

/** How many there are of what, from the counters (docs/decisions/005): one statement, whatever the number of incidents. */
export async function summarize(actor: Actor, { event }: SummaryQuery): Promise<Summary> {
  const visibility = await visibleIn(actor, event);
  const [row] = await db.$queryRaw<{ row: Summary }[]>`
    with team as materialized (select ${visibility.everything ? [] : visibility.all}::uuid[] as ids), n as materialized (
      select event_id, ${sumsOf(COUNTED)} from incident_counts where ${among(visibility, "event_id")} group by event_id
    )
    select json_build_object(
      'byState', json_build_object(${pairsOf(STATES)}),
      'open', ${total(OPEN)},
      'openBySeverity', json_build_object('critical', ${total("open_critical")}, 'high', ${total("open_high")},
        'medium', ${total("open_medium")}, 'low', ${total("open_low")},
        'none', ${total(`${OPEN} - open_critical - open_high - open_medium - open_low`)}),
      'openUnassigned', ${total("open_unassigned")}, 'openEscalated', ${total("open_escalated")},
      'openMine', ${counted(visibility, Prisma.sql`i.assigned_responder_id = ${actor.id}::uuid and ${IS_OPEN}`)},
      'openOverdue', ${counted(visibility, IS_DUE.overdue)},
      'openAwaiting', json_build_object('reporter', ${counted(visibility, IS_AWAITED.reporter)},
        'team', ${counted(visibility, IS_AWAITED.team)}),
      'pinned', (select count(*) from pins p join incidents i on i.id = p.incident_id
        where p.user_id = ${actor.id}::uuid and ${visible(visibility, actor)}),
      'events', (select coalesce(json_agg(e), '[]') from (${eventsOf(visibility)}) e)
    ) as row from n`;
  if (!row) throw new Error("an aggregate without a row");
  return row.row;
}

const OPEN = OPEN_STATES.join(" + ");
const OPEN_OF = ["unassigned", "escalated", "critical", "high", "medium", "low"];
const COUNTED = [...STATES, ...OPEN_OF.map((kind) => `open_${kind}`)];

const sumsOf = (columns: readonly string[]) =>
  Prisma.raw(columns.map((column) => `sum(${column})::bigint as ${column}`).join(", "));
const total = (what: string) => Prisma.raw(`coalesce(sum(${what}), 0)::int`);
const pairsOf = (names: readonly string[]) =>
  Prisma.raw(names.map((name) => `'${name}', coalesce(sum(${name}), 0)::int`).join(", "));

/** How many of the team's there are, up to what is counted at most; each has an index of its own. */
const counted = (visibility: Visibility, condition: Prisma.Sql) => Prisma.sql`(select count(*) from (
  select 1 from incidents i where ${condition} and ${among(visibility, "i.event_id")} limit ${MOST_COUNTED}::int) few)`;

/** As `inTeam`, of the ids that the statement holds once. */
const among = (visibility: Visibility, column: "event_id" | "i.event_id" | "e.id") =>
  visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`${Prisma.raw(column)} = any((select ids from team)::uuid[])`;

const inTeam = (visibility: Visibility, column: "i.event_id") =>
  visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`${Prisma.raw(column)} = any(${visibility.all}::uuid[])`;

const eventsOf = (visibility: Visibility) => Prisma.sql`
  select e.id, e.name, e.slug, coalesce(c.submitted + c.acknowledged + c.investigating, 0)::int as open,
    coalesce(c.submitted + c.acknowledged + c.investigating + c.resolved + c.closed, 0)::int as total
  from events e left join n c on c.event_id = e.id where ${among(visibility, "e.id")} order by e.name, e.id limit ${MOST_EVENTS}::int`;

/**
 * What is pinned, new to the actor, and talked about, among these incidents; those that the actor can't see are left
 * out. New is what somebody else did after the actor's last look: docs/decisions/016.
 */
export async function listMarks(actor: Actor, ids: readonly string[]): Promise<Marks["marks"]> {
  const visibility = incidentsVisibleTo(actor);
  const rows = await db.$queryRaw<MarkRow[]>`
    select i.id as "incidentId",
      exists (select 1 from pins p where p.user_id = ${actor.id}::uuid and p.incident_id = i.id) as pinned,
      (select count(*)::int from reporter_messages m where m.incident_id = i.id) as messages,
      ${inTeam(visibility, "i.event_id")} and (
        exists (select 1 from unread_marks k where k.user_id = ${actor.id}::uuid and k.incident_id = i.id
          and (look.at is null or k.created_at > look.at))
        or exists (select 1 from incident_history h where h.incident_id = i.id
          and (look.at is null or h.created_at > look.at) and h.actor_id is distinct from ${actor.id}::uuid)
      ) as unread,
      case when ${inTeam(visibility, "i.event_id")} then i.due_for::text end as "dueFor",
      i.due_since as "dueSince", i.due_at as "dueAt",
      case when not ${inTeam(visibility, "i.event_id")} then null
        when ${IS_AWAITED.reporter} then 'reporter' when ${IS_AWAITED.team} then 'team' end as awaiting
    from incidents i
    cross join lateral (select max(a.at) as at from incident_access a
      where a.incident_id = i.id and a.actor_id = ${actor.id}::uuid and a.kind = 'view') look
    where i.id = any(${[...ids]}::uuid[]) and ${visible(visibility, actor)}`;
  return rows.map(({ dueFor, dueSince, dueAt, ...mark }) => ({
    ...mark,
    due: dueFor && dueSince && dueAt ? { for: dueFor, since: dueSince, at: dueAt } : null,
  }));
}

type MarkRow = Omit<Marks["marks"][number], "due"> & {
  dueFor: "acknowledge" | "word" | null;
  dueSince: Date | null;
  dueAt: Date | null;
};
