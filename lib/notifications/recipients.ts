import { Prisma } from "#lib/generated/prisma/client.ts";
import { POLICY } from "#lib/policy.ts";
import type { Kind } from "#lib/notifications/schema.ts";
import type { Told } from "#lib/notifications/facts.ts";

/** Where it happened, as the database has it at the moment of telling. */
export type Scene = { reporterId: string | null; assigneeId: string | null };

const TEAM = [...POLICY["incident.view"].event];
const OWN = [...POLICY["incident.view"].own];
const EVENT_ADMINS = [...POLICY["event.manageRoles"].event];
const ORG_ADMINS = [...POLICY["organization.manageMembers"].organization];

/**
 * Who is to be told of a fact, as a query of `user_id`: only people whose roles let them see it now, so that a
 * role that was lost meanwhile tells nothing. Whose deed it was is left out by the caller.
 */
export function recipientsOf(told: Told, scene: Scene): Prisma.Sql {
  const recipients: Record<Kind, () => Prisma.Sql> = {
    "incident.created": () => team(told),
    "incident.escalated": () => eventRoles(told, EVENT_ADMINS),
    "incident.assigned": () => teamAmong(told, told.personIds),
    "incident.state": () => either(reporter(told, scene), teamAmong(told, [scene.assigneeId])),
    "message.created": () =>
      isFromReporter(told, scene) ? assigneeOrTeam(told, scene) : reporter(told, scene),
    "note.created": () =>
      either(teamAmong(told, [...told.personIds, scene.assigneeId]), earlierAuthors(told)),
    "file.added": () => teamAmong(told, [scene.assigneeId]),
    "role.changed": () => either(concerned(told), isJoining(told) ? nobody : admins(told)),
    "invite.changed": () => admins(told),
  };
  return told.kind === "incident.changed" ? nobody : recipients[told.kind]();
}

const nobody = Prisma.sql`select null::uuid as user_id where false`;

const either = (one: Prisma.Sql, other: Prisma.Sql) => Prisma.sql`${one} union ${other}`;

const eventRoles = ({ eventId }: Told, roles: string[]) => Prisma.sql`
  select r.user_id from event_roles r
  where r.event_id = ${eventId}::uuid and r.role_name::text = any(${roles}::text[])`;

const team = (told: Told) => eventRoles(told, TEAM);

/** Those of the given people who are on the team. */
function teamAmong(told: Told, people: (string | null)[]): Prisma.Sql {
  const ids = people.filter((id) => id !== null);
  return Prisma.sql`${team(told)} and r.user_id = any(${ids}::uuid[])`;
}

/** The reporter, while holding the role that opens one's own report. */
const reporter = (told: Told, { reporterId }: Scene) => Prisma.sql`
  ${eventRoles(told, [...OWN, ...TEAM])} and r.user_id = ${reporterId}::uuid`;

/** Who wrote is told apart by the report itself; without a name it can only have been the reporter. */
const isFromReporter = ({ actorId }: Told, { reporterId }: Scene) =>
  actorId === null || actorId === reporterId;

/** The assignee, if still one of the team; else everybody on it. */
const assigneeOrTeam = (told: Told, { assigneeId }: Scene) => Prisma.sql`
  ${team(told)} and (r.user_id = ${assigneeId}::uuid or not exists (
    select 1 from event_roles a join users u on u.id = a.user_id and u.disabled_at is null
    where a.event_id = r.event_id and a.user_id = ${assigneeId}::uuid and a.role_name::text = any(${TEAM}::text[])))`;

const earlierAuthors = (told: Told) => Prisma.sql`
  ${team(told)} and r.user_id in (select t.author_id from team_notes t where t.incident_id = ${told.incidentId}::uuid)`;

const orgRoles = ({ organizationId }: Told, roles: string[] | null) => Prisma.sql`
  select m.user_id from organization_members m
  where m.organization_id = ${organizationId}::uuid
    and (${roles}::text[] is null or m.role::text = any(${roles}::text[]))`;

const admins = (told: Told) => (told.eventId ? eventRoles(told, EVENT_ADMINS) : orgRoles(told, ORG_ADMINS));

/** Those whose role changed, while they hold one there. */
const concerned = (told: Told) =>
  told.eventId
    ? Prisma.sql`${eventRoles(told, [...OWN, ...TEAM])} and r.user_id = any(${told.personIds}::uuid[])`
    : Prisma.sql`${orgRoles(told, null)} and m.user_id = any(${told.personIds}::uuid[])`;

/** Visitors who join as Reporters by an invite come by the hundred and are no news to the admins. */
const isJoining = ({ actorId, personIds, state }: Told) =>
  state === "Reporter" && actorId !== null && personIds.includes(actorId);
