import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import { sql, type Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  isStillEventAdminSql,
  isStillOnEventTeamSql,
  isStillSystemAdminAtEventSql,
  mayStillReportAtEventSql,
} from "#lib/events/held-roles-sql.ts";
import type { HiddenFromRecord, ReaderRecord } from "#lib/readers/schema.ts";
import { Prisma, type ReaderAccess, type ReaderSource } from "#lib/generated/prisma/client.ts";
import type { HidingSource } from "#lib/erasures/access-changes.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import {
  isFullReaderSql,
  isKnownToPersonSql,
  isReaderSql,
  isUndecidedOnListSql,
  ONLY_SAYS_WHO_OPENED_SQL,
} from "#lib/access/readers-sql.ts";
import { can, hasSystemAdminAccessToEvent, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { EVENT_ADMIN_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import {
  OUTSIDE_PERSON_TO_LET_IN_SQL,
  hasReaderBesidesReporterSql,
  teamAndOrganizationMembersSql,
  accessOnceLetInSql,
  activeTeamMembersSql,
  peopleWithRoleToReadSql,
  peopleOfNewListSql,
  OUTSIDE_READERS_SQL,
  outsideReadersOfIncidentSql,
} from "#lib/access/team-sql.ts";

export type ReaderContext = EventActorContext & { incidentId: string; reporterId: string | null };
export type HidingRequest = { userId: string; source: HidingSource };

type PersonRef = { id: string; name: string };

/**
 * Lists the people who must not see an incident, in order of time, and whether the actor may end its list, if it has one.
 * Reasons are for the team.
 */
export async function listHiddenFromForActor(
  context: ReaderContext,
): Promise<{ hiddenFrom: HiddenFromRecord[]; canEnd: boolean }> {
  const [rows, decides] = await Promise.all([
    listPeopleHiddenFrom(sql, context.incidentId),
    isFullReader(context),
  ]);
  const isReporter = context.reporterId === context.actor.id;
  const rights = isReporter || decides ? getDecisionRights(context) : NO_DECISION_RIGHTS;
  const onTeam = hasTeamAccessToEvent(context.actor, context.eventId);
  const now = new Date();
  const hiddenFrom = rows.map(({ userId, person, reason, openedUntil, byId, source, createdAt }) => ({
    person,
    source: source === "team" && byId === null ? ("list" as const) : source,
    reason: onTeam ? reason : null,
    canLetIn: person !== null && canLetIn(context.actor, rights, { source, userId }),
    openedUntil: onTeam && openedUntil && openedUntil > now ? openedUntil : null,
    createdAt,
  }));
  return { hiddenFrom, canEnd: canEndList(rights, rows) };
}

/** Finds whether the actor reads an incident for longer than an emergency. */
async function isFullReader({ incidentId, actor }: ReaderContext): Promise<boolean> {
  const isReader = isFullReaderSql(Prisma.sql`${actor.id}::uuid`);
  return (await evaluateIncidentConditions(sql, incidentId, { isReader }))?.isReader === true;
}

type ReaderRow = PersonRef & Omit<ReaderRecord, "person"> & { isNamed: boolean };

/**
 * Lists who can read an incident at present, apart from its reporter: people on the team who can use their role,
 * SystemAdmins, and the outside person to whom it was passed on. The reporter learns the name of the outside person, and those
 * of a team that its event shows, but neither their answers to the conflict check nor who opened it in an emergency.
 */
export async function listIncidentReaders({
  actor,
  eventId,
  incidentId,
}: ReaderContext): Promise<ReaderRecord[]> {
  const reader = Prisma.sql`p.user_id`;
  const onTeam = hasTeamAccessToEvent(actor, eventId);
  const rows = await sql.$queryRaw<ReaderRow[]>`
    select u.id, u.name, p."as",
      case when not ${isReaderSql(reader)} then 'none' when i.conflict_check and x.access is distinct from 'full' then 'ask' else 'full' end as access,
      x.answer::text as answer, case when x.opened_until > now() then x.opened_until end as "openedUntil",
      ${onTeam}::boolean or p."as" = 'outsidePerson'
        or p."as" = 'team' and coalesce(s.show_team, false) and ${isReaderSql(reader)} as "isNamed"
    from incidents i left join event_report_settings s on s.event_id = i.event_id
      cross join (${peopleWithRoleToReadSql({ eventId, incidentId })}) p join users u on u.id = p.user_id
      left join incident_readers x on x.incident_id = i.id and x.user_id = p.user_id
    where i.id = ${incidentId}::uuid and p.user_id is distinct from i.reporter_id and ${isKnownToPersonSql(reader)}
    order by p."as" <> 'team', u.name collate title_order, u.id`;
  return rows.map(({ id, name, isNamed, as, ...row }) => ({
    person: isNamed ? { id, name } : null,
    as,
    ...(onTeam ? row : { access: "full", answer: null, openedUntil: null }),
  }));
}

type ReaderSummary = { listed: boolean; outsidePerson: PersonRef | null; hasReader: boolean };

/**
 * Finds whether only the people on its list read an incident, which outside person it was passed on to, and whether
 * they or anybody on the team can read it now.
 */
export async function loadReaderSummary(incidentId: string): Promise<ReaderSummary> {
  const [row] = await sql.$queryRaw<ReaderSummary[]>`
    select i.listed, ${hasReaderBesidesReporterSql()} as "hasReader",
      (select json_build_object('id', u.id, 'name', u.name) from (${outsideReadersOfIncidentSql(incidentId)}) f
        join users u on u.id = f.user_id order by u.id limit 1) as "outsidePerson"
    from incidents i where i.id = ${incidentId}::uuid`;
  if (!row) throw createNotFoundError("incident");
  return row;
}

/** Lists the names of the people who must not see an incident, in order of time; null for a deleted account. */
export const listNamesOfPeopleHiddenFrom = async (incidentId: string): Promise<(string | null)[]> =>
  (await listPeopleHiddenFrom(sql, incidentId)).map(({ person }) => person && person.name);

type HiddenFromPerson = {
  userId: string;
  /** Null once the account is deleted. */
  person: PersonRef | null;
  source: HidingSource;
  byId: string | null;
  reason: string | null;
  createdAt: Date;
  openedUntil: Date | null;
};

/**
 * Lists the people from whom the incident is hidden, in order of time: by a decision, or since they joined the team after
 * it had got its list. For these, nobody is known to have decided.
 */
async function listPeopleHiddenFrom(
  client: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
): Promise<HiddenFromPerson[]> {
  type Row = Omit<HiddenFromPerson, "person" | "source"> & { name: string | null; source: ReaderSource };
  const rows = await client.$queryRaw<Row[]>`
    select x.user_id as "userId", u.name, x.source::text as source,
      x.by_id as "byId", x.reason, x.created_at as "createdAt", x.opened_until as "openedUntil"
    from incident_readers x left join users u on u.id = x.user_id
    where x.incident_id = ${incidentId}::uuid and x.access = 'none' and x.source <> 'emergency'
    union all
    select u.id, u.name, 'team', null, null, max(r.created_at), max(o.opened_until)
    from incidents i join event_roles r on r.event_id = i.event_id and r.role_name in ${TEAM_ROLES_SQL} and not r.pending
      join users u on u.id = r.user_id left join incident_readers o on o.incident_id = i.id and o.user_id = u.id
    where i.id = ${incidentId}::uuid and ${isUndecidedOnListSql(Prisma.sql`u.id`)}
    group by u.id
    order by 6, 1`;
  return rows.map(({ name, source, ...row }) => ({
    ...row,
    source: toHidingSource(source),
    person: name === null ? null : { id: row.userId, name },
  }));
}

/** Converts the source of a person's row to who hid the incident from them: an emergency opening is no decision of the reporter. */
export const toHidingSource = (source: ReaderSource): HidingSource =>
  source === "reporter" || source === "self" ? source : "team";

/** Finds who hid a locked incident from a person; undefined where it isn't hidden from them, or their account is deleted. */
export async function findHidingSource(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  userId: string,
): Promise<HidingSource | undefined> {
  const people = await listPeopleHiddenFrom(tx, incidentId);
  return people.find(({ person }) => person?.id === userId)?.source;
}

/** As whom somebody may let people in to an incident. */
type DecisionRights = {
  /** As its reporter, or as a SystemAdmin where the reporter has no account. */
  forReporter: boolean;
  isReporter: boolean;
  isAdmin: boolean;
};

/** Those of somebody who reads the incident only in an emergency. */
const NO_DECISION_RIGHTS: DecisionRights = { forReporter: false, isReporter: false, isAdmin: false };

/** Returns the actor's rights at the beginning of the request. */
function getDecisionRights({ actor, eventId, incidentId, reporterId }: ReaderContext): DecisionRights {
  const isReporter = reporterId === actor.id;
  return {
    forReporter: isReporter || (reporterId === null && hasSystemAdminAccessToEvent(actor, eventId)),
    isReporter,
    // An outside person is an Admin on the incident that they read.
    isAdmin: can(actor, "event.manageRoles", { eventId, incidentId }),
  };
}

/** Finds which of these rights the actor still has, for the transaction that lets somebody in. */
export async function findRemainingDecisionRights(
  tx: Pick<SqlClient, "$queryRaw">,
  context: ReaderContext,
): Promise<DecisionRights> {
  const { actor, eventId, incidentId } = context;
  const before = getDecisionRights(context);
  const now = await evaluateIncidentConditions(tx, incidentId, {
    isReporter: Prisma.sql`i.reporter_id = ${actor.id}::uuid and ${mayStillReportAtEventSql(actor, eventId)}`,
    isReader: isFullReaderSql(Prisma.sql`${actor.id}::uuid`),
    isEventAdmin: isStillEventAdminSql(actor, eventId),
    actsForReporter: Prisma.sql`i.reporter_id is null and ${isStillSystemAdminAtEventSql(actor, eventId)}`,
  });
  if (!now) return NO_DECISION_RIGHTS;
  return {
    forReporter: before.forReporter && (now.isReporter || (now.isReader && now.actsForReporter)),
    isReporter: before.isReporter && now.isReporter,
    isAdmin: before.isAdmin && now.isReader && now.isEventAdmin,
  };
}

/**
 * Returns whether the actor may let a person in. The reporter (a SystemAdmin where the reporter has no account) lets in
 * from whom they hid it. An Admin of the event lets in from whom the team hid it and who stepped out; the reporter may let in
 * from whom the team hid it, too. Nobody lets themself in.
 */
export function canLetIn(
  actor: Actor,
  { forReporter, isReporter, isAdmin }: DecisionRights,
  { source, userId }: HidingRequest,
): boolean {
  if (userId === actor.id) return false;
  if (source === "reporter") return forReporter;
  return isAdmin || (source === "team" && isReporter);
}

type HiddenByDecision = { userId: string; source: ReaderSource };

/** Lists the people from whom a reporter or the team hid a locked incident. */
export const listPeopleHiddenByDecision = (
  tx: Pick<Tx, "incidentReader">,
  incidentId: string,
): Promise<HiddenByDecision[]> =>
  tx.incidentReader.findMany({
    where: { incidentId, access: "none", source: { in: ["reporter", "team"] } },
    select: { userId: true, source: true },
  });

/** Returns whether the actor may end a list: the reporter or, where the reporter hid it from nobody, an Admin who reads it. */
export const canEndList = (
  { forReporter, isReporter, isAdmin }: DecisionRights,
  hidden: readonly { source: ReaderSource }[],
): boolean => forReporter || isReporter || (isAdmin && hidden.every(({ source }) => source !== "reporter"));

type LockedIncident = {
  mayHide: boolean;
  canBeHiddenFrom: boolean;
  hasOtherReader: boolean;
  outsidePersonId: string | null;
};

/** The people who read incident `i` once it is hidden from person `p`, apart from its reporter. */
const remainingReadersSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select t.* from (
    select r.user_id, r.role_name in ${EVENT_ADMIN_ROLES_SQL} as is_admin from (${activeTeamMembersSql(eventId)}) r
    union all select f.user_id, false from (${OUTSIDE_READERS_SQL}) f
  ) t where t.user_id <> p.id and t.user_id is distinct from i.reporter_id and ${isReaderSql(Prisma.sql`t.user_id`)}`;

const leavesReaderSql = (eventId: string): Prisma.Sql => Prisma.sql`exists (${remainingReadersSql(eventId)})`;

/**
 * The condition that an Admin may hide incident `i` from person `p`: a SystemAdmin other than that Admin still reads it
 * or, where there is no other SystemAdmin, another Admin does (contract 16.3). So nobody can bury a report, not even with
 * a second account.
 */
const leavesReaderToTeamSql = (eventId: string, actor: Actor): Prisma.Sql => Prisma.sql`(
  ${leavesReaderSql(eventId)} and case when exists (${otherSystemAdminsSql(actor)})
    then exists (${otherSystemAdminsSql(actor)} and u.id <> p.id and ${isReaderSql(Prisma.sql`u.id`)})
    else exists (select 1 from (${remainingReadersSql(eventId)}) t where t.is_admin and t.user_id <> ${actor.id}::uuid) end)`;

const otherSystemAdminsSql = (actor: Actor): Prisma.Sql => Prisma.sql`
  select 1 from users u where u.system_admin and u.disabled_at is null and u.id <> ${actor.id}::uuid and u.id is distinct from i.reporter_id`;

type HidingPlace = { eventId: string; source: HidingSource };

/**
 * The condition that the actor still has the role in which they hide incident `i`. For the team, whoever opened it in an
 * emergency decides nothing.
 */
function mayStillHideSql(actor: Actor, { eventId, source }: HidingPlace): Prisma.Sql {
  if (source === "team")
    return Prisma.sql`(${isFullReaderSql(Prisma.sql`${actor.id}::uuid`)} and ${isStillEventAdminSql(actor, eventId)})`;
  if (source === "reporter") return mayStillReportAtEventSql(actor, eventId);
  return isStillOnEventTeamSql(actor, eventId);
}

type HidingCheck = {
  problem?: "mustBeOnTeam" | "mustLeaveReader";
  /**
   * Set if nobody on the team who can read the incident would be left: the outside person, who reads it
   * instead.
   */
  outsidePersonId?: string;
};

/**
 * Returns the reason why the incident can't be hidden from the person. If it can, and the reporter hides it from the last
 * reader on the team, returns who is to read the incident instead.
 * @throws AppError NOT_FOUND; FORBIDDEN when the role has been lost since
 */
export async function evaluateProposedHiding(
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId, actor }: ReaderContext,
  { userId, source }: HidingRequest,
): Promise<HidingCheck> {
  const [row] = await tx.$queryRaw<LockedIncident[]>`
    select ${mayStillHideSql(actor, { eventId, source })} as "mayHide",
      i.reporter_id is distinct from p.id and (p.id in (${teamAndOrganizationMembersSql(eventId)})
        or p.id in (${outsideReadersOfIncidentSql(incidentId)})
        or exists (select 1 from users u where u.id = p.id and u.system_admin)
        or exists (select 1 from incident_readers x where x.incident_id = i.id and x.user_id = p.id and not ${ONLY_SAYS_WHO_OPENED_SQL})) as "canBeHiddenFrom",
      ${source === "team" ? leavesReaderToTeamSql(eventId, actor) : leavesReaderSql(eventId)} as "hasOtherReader",
      (select c.user_id from (${OUTSIDE_PERSON_TO_LET_IN_SQL}) c where c.user_id <> p.id) as "outsidePersonId"
    from incidents i, (select ${userId}::uuid as id) p where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;
  if (!row) throw createNotFoundError("incident");
  if (!row.mayHide) throw createForbiddenError();
  if (!row.canBeHiddenFrom) return { problem: "mustBeOnTeam" };
  if (row.hasOtherReader) return {};
  const goesToOutsidePerson = source === "reporter" && row.outsidePersonId !== null;
  return goesToOutsidePerson
    ? { outsidePersonId: row.outsidePersonId ?? "" }
    : { problem: "mustLeaveReader" };
}

/** Finds what a person on a list knows by their roles; as much as the team where they can't use any at the moment. */
export async function findAccessByRoles(
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId }: { incidentId: string; eventId: string },
  userId: string,
): Promise<ReaderAccess> {
  const isUnderConflictCheck = Prisma.sql`i.conflict_check`;
  const [row] = await tx.$queryRaw<{ access: ReaderAccess }[]>`
    select coalesce((select p.access from (${peopleOfNewListSql(eventId, isUnderConflictCheck)}) p where p.user_id = ${userId}::uuid),
      ${accessOnceLetInSql(isUnderConflictCheck)})::text as access
    from incidents i where i.id = ${incidentId}::uuid`;
  if (!row) throw createNotFoundError("incident");
  return row.access;
}

const MAX_LISTED_MEMBERS = 200;

/**
 * Lists members of the organization who can see its statistics but aren't on the event's team, and from whom the actor
 * can hide the incident.
 */
export async function listOrganizationMembersToHideFrom(context: ReaderContext): Promise<PersonRef[]> {
  const { actor, incidentId, organizationId } = context;
  if (!can(actor, "incident.hide", context)) return [];
  return sql.$queryRaw<PersonRef[]>`
    select u.id, u.name from incidents i join organization_members m on m.organization_id = ${organizationId}::uuid
      join users u on u.id = m.user_id and u.disabled_at is null
    where i.id = ${incidentId}::uuid and u.id <> ${actor.id}::uuid and u.id is distinct from i.reporter_id
      and not exists (select 1 from incident_readers x where x.incident_id = i.id and x.user_id = u.id and x.access = 'none')
      and not exists (select 1 from event_roles r where r.event_id = i.event_id and r.user_id = u.id and r.role_name in ${TEAM_ROLES_SQL})
    order by u.name collate title_order, u.id limit ${MAX_LISTED_MEMBERS}`;
}
