import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  isStillEventAdminSql,
  isStillOnEventTeamSql,
  isStillSystemAdminAtEventSql,
  mayStillReportAtEventSql,
} from "#lib/events/held-roles-sql.ts";
import type { ExclusionRecord, ReferralRecord, IncidentWithoutReaderRecord } from "#lib/exclusions/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { EventActorContext } from "#lib/incidents/incidents.ts";
import { titleVisibleToContactSql } from "#lib/access/conflict-sql.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { incidentNotHiddenSql } from "#lib/access/hidden-sql.ts";
import {
  can,
  hasSystemAdminAccessToEvent,
  isSystemAdmin,
  listOrganizationIdsClosedToSystemAdmin,
  hasTeamAccessToEvent,
  type Actor,
} from "#lib/operation/policy.ts";
import { EVENT_ADMIN_ROLES_SQL, OPEN_STATES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import {
  REFERABLE_ESCALATION_CONTACT_SQL,
  inviterIdsOfMemberSql,
  inviterChainIdsOfIncidentReaderSql,
  selectEscalationContactOfEventSql,
  EXCLUDED_PERSON_IDS_ARRAY_SQL,
  hasReaderBesidesReporterSql,
  hasNoInviterAmongSql,
  canContactReadHiddenIncidentSql,
  teamAndOrganizationMembersSql,
  activeTeamMembersSql,
  INCIDENT_REFERRAL_READERS_SQL,
  referralReadersSql,
  referralReadersAndReviewersSql,
  TEAM_MEMBERS_NOT_EXCLUDED_SQL,
} from "#lib/access/team-sql.ts";

export type ExclusionContext = EventActorContext & { incidentId: string; reporterId: string | null };
export type ExclusionSource = ExclusionRecord["source"];
export type ExcludedUserAndSource = { userId: string; source: ExclusionSource };

type PersonRef = NonNullable<ExclusionRecord["person"]>;

/** Lists the people who must not see an incident, in order of time. Reasons are for the team. */
export async function listIncidentExclusionsForActor(context: ExclusionContext): Promise<ExclusionRecord[]> {
  const rows = await listExcludedPeople(context.incidentId);
  const rights = getLiftingRights(context);
  const onTeam = hasTeamAccessToEvent(context.actor, context.eventId);
  const now = new Date();
  return rows.map(({ userId, person, reason, openedUntil, excludedById, ...row }) => ({
    ...row,
    person,
    reason: onTeam ? reason : null,
    inherited: row.source === "team" && excludedById === null,
    canLift: person !== null && canLiftExclusion(context.actor, rights, { ...row, userId }),
    openedUntil: openedUntil && openedUntil > now ? openedUntil : null,
  }));
}

/** Lists the names of the people who must not see an incident, in order of time; null for a deleted account. */
export const listNamesOfExcludedPeople = async (incidentId: string): Promise<(string | null)[]> =>
  (await listExcludedPeople(incidentId)).map(({ person }) => person && person.name);

/** The person is null once their account is deleted. */
async function listExcludedPeople(incidentId: string) {
  const rows = await prisma.incidentExclusion.findMany({
    where: { incidentId },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
    select: {
      userId: true,
      source: true,
      excludedById: true,
      reason: true,
      createdAt: true,
      openedUntil: true,
    },
  });
  const people: PersonRef[] = await prisma.user.findMany({
    where: { id: { in: rows.map(({ userId }) => userId) } },
    select: { id: true, name: true },
  });
  return rows.map((row) => ({ ...row, person: people.find(({ id }) => id === row.userId) ?? null }));
}

/** As whom somebody may lift exclusions from an incident. */
type LiftingRights = {
  /** As its reporter, or as a SystemAdmin where the reporter has no account. */
  forReporter: boolean;
  isReporter: boolean;
  isAdmin: boolean;
};

/** Returns the actor's rights at the beginning of the request. */
function getLiftingRights({ actor, eventId, incidentId, reporterId }: ExclusionContext): LiftingRights {
  const isReporter = reporterId === actor.id;
  return {
    forReporter: isReporter || (reporterId === null && hasSystemAdminAccessToEvent(actor, eventId)),
    isReporter,
    // An escalation contact is an Admin on the incident that was referred to them.
    isAdmin: can(actor, "event.manageRoles", { eventId, incidentId }),
  };
}

/** Finds which of these rights the actor still has, for the transaction that lifts an exclusion. */
export async function findRemainingLiftingRights(
  tx: Pick<SqlClient, "$queryRaw">,
  context: ExclusionContext,
): Promise<LiftingRights> {
  const { actor, eventId, incidentId } = context;
  const before = getLiftingRights(context);
  const [now] = await tx.$queryRaw<LiftingRights[]>`
    select r.is_reporter as "isReporter", ${isStillEventAdminSql(actor, eventId)} as "isAdmin",
      r.is_reporter or r.has_no_account and ${isStillSystemAdminAtEventSql(actor, eventId)} as "forReporter"
    from (select i.reporter_id is null as has_no_account, coalesce(i.reporter_id = ${actor.id}::uuid, false)
      and ${mayStillReportAtEventSql(actor, eventId)} as is_reporter from incidents i where i.id = ${incidentId}::uuid) r`;
  return {
    forReporter: before.forReporter && now?.forReporter === true,
    isReporter: before.isReporter && now?.isReporter === true,
    isAdmin: before.isAdmin && now?.isAdmin === true,
  };
}

/**
 * Returns whether the actor may lift an exclusion. The reporter lifts their own (a SystemAdmin where the reporter has
 * no account). An Admin of the event lifts those of the team and recusals; the reporter may lift those of the team,
 * too. Nobody lifts an exclusion of themselves.
 */
export function canLiftExclusion(
  actor: Actor,
  { forReporter, isReporter, isAdmin }: LiftingRights,
  { source, userId }: ExcludedUserAndSource,
): boolean {
  if (userId === actor.id) return false;
  if (source === "reporter") return forReporter;
  return isAdmin || (source === "team" && isReporter);
}

/** The condition that incident `i` is hidden from a person. */
const isExcludedSql = (personId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select 1 from incident_exclusions x where x.incident_id = i.id and x.user_id = ${personId})`;

type LockedIncident = {
  mayExclude: boolean;
  canBeExcluded: boolean;
  hasOtherReader: boolean;
  contactId: string | null;
};

/** The people who read incident `i` once it is hidden from person `p`, and the people who brought them in. */
const remainingReadersSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select t.* from (
    select r.user_id, r.behind_ids, r.role_name in ${EVENT_ADMIN_ROLES_SQL} as is_admin from (${activeTeamMembersSql(eventId)}) r
    union all select f.user_id, ${inviterIdsOfMemberSql(eventId, Prisma.sql`f.user_id`)}, false from (${INCIDENT_REFERRAL_READERS_SQL}) f
  ) t where t.user_id <> p.id and t.user_id is distinct from i.reporter_id and not ${isExcludedSql(Prisma.sql`t.user_id`)}`;

const leavesReaderSql = (eventId: string): Prisma.Sql => Prisma.sql`exists (${remainingReadersSql(eventId)})`;

/**
 * The condition that an Admin may hide incident `i` from person `p`: somebody who is independent of that Admin still
 * reads the incident, and somebody can lift the exclusion. A reader is independent who neither came to the team through
 * the Admin nor brought the Admin there, directly or through others. To lift the exclusion, one of these readers must
 * be an Admin, or a SystemAdmin must still see the incident. For the first exclusion by an Admin, any reader is enough,
 * such as that Admin, unless `p` is a SystemAdmin (docs/decisions/070).
 */
const leavesReaderToTeamSql = (eventId: string, actor: Actor): Prisma.Sql => Prisma.sql`(
  not exists (select 1 from users u where u.id = p.id and u.system_admin)
  and not exists (select 1 from incident_exclusions x where x.incident_id = i.id and x.source = 'team'
    and x.excluded_by_id is not null and x.user_id <> p.id)
  and ${leavesReaderSql(eventId)}
  or (select count(*) > 0 and (bool_or(t.is_admin) or ${hasSystemAdminSql(actor)})
    from (${remainingReadersSql(eventId)}) t where t.user_id <> ${actor.id}::uuid
      and ${hasNoInviterAmongSql(Prisma.sql`array[${actor.id}::uuid]`, Prisma.sql`t.behind_ids`)}
      and t.user_id <> all(${inviterChainIdsOfIncidentReaderSql(eventId, actor.id)})))`;

/**
 * The condition that a SystemAdmin still sees incident `i` once it is hidden from `p`. It never holds if the actor is a
 * SystemAdmin, who may have made the others SystemAdmins.
 */
const hasSystemAdminSql = (
  actor: Actor,
): Prisma.Sql => Prisma.sql`(not ${isSystemAdmin(actor)}::boolean and exists (
  select 1 from users u where u.system_admin and u.disabled_at is null and u.id <> p.id and u.id is distinct from i.reporter_id
    and not ${isExcludedSql(Prisma.sql`u.id`)}))`;

type ExclusionPlace = { incidentId: string; eventId: string; source: ExclusionSource };

/** The condition that the actor still has the role in which they hide the incident. */
function mayStillExcludeSql(actor: Actor, { incidentId, eventId, source }: ExclusionPlace): Prisma.Sql {
  if (source === "team") return isStillEventAdminSql(actor, eventId);
  if (source === "reporter") return mayStillReportAtEventSql(actor, eventId);
  return actor.onlyReviews
    ? Prisma.sql`(${actor.id}::uuid in (${referralReadersAndReviewersSql(incidentId)}))`
    : isStillOnEventTeamSql(actor, eventId);
}

type ExclusionCheck = {
  problem?: "mustBeOnTeam" | "mustLeaveReader";
  /**
   * Set if the exclusion would leave nobody on the team who can read the incident: the escalation contact, who reads it
   * instead.
   */
  referredToId?: string;
};

/**
 * Returns the reason why the person can't be excluded. If they can, and the reporter excludes the last reader on the
 * team, returns who is to read the incident instead. Once an Admin has excluded somebody, the next exclusion must
 * leave a reader besides that Admin and the people whom they brought in: one person can't bury a report about them by
 * excluding all others (docs/decisions/070).
 * @throws AppError NOT_FOUND; FORBIDDEN when the role has been lost since
 */
export async function evaluateProposedExclusion(
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId, actor }: ExclusionContext,
  { userId, source }: ExcludedUserAndSource,
): Promise<ExclusionCheck> {
  const [row] = await tx.$queryRaw<LockedIncident[]>`
    select ${mayStillExcludeSql(actor, { incidentId, eventId, source })} as "mayExclude",
      i.reporter_id is distinct from p.id and (p.id in (${teamAndOrganizationMembersSql(eventId)})
        or p.id in (${referralReadersAndReviewersSql(incidentId)})
        or exists (select 1 from users u where u.id = p.id and u.system_admin) or ${isExcludedSql(Prisma.sql`p.id`)}) as "canBeExcluded",
      ${source === "team" ? leavesReaderToTeamSql(eventId, actor) : leavesReaderSql(eventId)} as "hasOtherReader",
      (select c.user_id from (${selectEscalationContactOfEventSql(eventId)}) c
        where ${canContactReadHiddenIncidentSql(Prisma.sql`array_append(${EXCLUDED_PERSON_IDS_ARRAY_SQL}, p.id)`)}) as "contactId"
    from incidents i, (select ${userId}::uuid as id) p where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;
  if (!row) throw createNotFoundError("incident");
  if (!row.mayExclude) throw createForbiddenError();
  if (!row.canBeExcluded) return { problem: "mustBeOnTeam" };
  if (row.hasOtherReader) return {};
  const goesToContact = source === "reporter" && row.contactId !== null;
  return goesToContact ? { referredToId: row.contactId ?? "" } : { problem: "mustLeaveReader" };
}

const MAX_LISTED_MEMBERS = 200;

/**
 * Lists members of the organization who can see its statistics but aren't on the event's team, and from whom the actor
 * can hide the incident.
 */
export async function listExcludableOrganizationMembers(context: ExclusionContext): Promise<PersonRef[]> {
  const { actor, incidentId, organizationId } = context;
  if (!can(actor, "incident.exclude", context)) return [];
  return sql.$queryRaw<PersonRef[]>`
    select u.id, u.name from incidents i join organization_members m on m.organization_id = ${organizationId}::uuid
      join users u on u.id = m.user_id and u.disabled_at is null
    where i.id = ${incidentId}::uuid and u.id <> ${actor.id}::uuid and u.id is distinct from i.reporter_id
      and not ${isExcludedSql(Prisma.sql`u.id`)}
      and not exists (select 1 from event_roles r where r.event_id = i.event_id and r.user_id = u.id and r.role_name in ${TEAM_ROLES_SQL})
    order by lower(u.name), u.id limit ${MAX_LISTED_MEMBERS}`;
}

/** Finds the escalation contact who reads an incident that nobody on the team may read; null if there is none. */
export async function findEscalationContactWhoReadsIncident(incidentId: string): Promise<PersonRef | null> {
  const [person] = await sql.$queryRaw<PersonRef[]>`
    select u.id, u.name from (${referralReadersSql(incidentId)}) f join users u on u.id = f.user_id
    where not exists (select 1 from incident_exclusions x where x.incident_id = ${incidentId}::uuid and x.user_id = u.id)
    order by u.id limit 1`;
  return person ?? null;
}

/** Returns whether somebody can read an incident now, on the team or as escalation contact. */
export async function hasIncidentReaderBesidesReporter(incidentId: string): Promise<boolean> {
  const rows = await sql.$queryRaw<unknown[]>`
    select 1 from incidents i where i.id = ${incidentId}::uuid and ${hasReaderBesidesReporterSql()}`;
  return rows.length > 0;
}

/** Finds the event of an incident, also of one that is hidden from the actor. */
export async function findEventIdOfIncident(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
): Promise<string | undefined> {
  const [row] = await tx.$queryRaw<{ eventId: string }[]>`
    select event_id as "eventId" from incidents where id = ${incidentId}::uuid`;
  return row?.eventId;
}

/**
 * Lists the hidden incidents that nobody can read now, oldest first, without those that are hidden from the actor, and
 * those of organizations that are closed to them.
 */
export async function listIncidentsWithoutReader(actor: Actor): Promise<IncidentWithoutReaderRecord[]> {
  const closedIds = listOrganizationIdsClosedToSystemAdmin(actor) ?? [];
  const rows = await sql.$queryRaw<(PlaceRow & Pick<IncidentWithoutReaderRecord, "id" | "createdAt">)[]>`
    select i.id, i.created_at as "createdAt", e.id as "eventId", e.name as "eventName", e.slug as "eventSlug",
      o.name as "organizationName", o.slug as "organizationSlug"
    from incidents i join events e on e.id = i.event_id join organizations o on o.id = e.organization_id
    where i.id in (select h.incident_id from incident_exclusions h) and not ${hasReaderBesidesReporterSql()}
      and ${incidentNotHiddenSql(actor.hiddenIncidentIds)} and o.id <> all(${closedIds}::uuid[])
    order by i.created_at, i.id`;
  return rows.map(({ id, createdAt, ...place }) => ({
    id,
    createdAt,
    event: { id: place.eventId, name: place.eventName, slug: place.eventSlug },
    organization: { name: place.organizationName, slug: place.organizationSlug },
  }));
}

type PlaceRow = {
  eventId: string;
  eventName: string;
  eventSlug: string;
  organizationName: string;
  organizationSlug: string;
};

/** Lists the ids of the incidents `i` for which the condition holds and that have a contact to refer them to. */
export async function listIncidentIdsReferableToContact(conditionSql: Prisma.Sql): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select i.id from incidents i where ${conditionSql} and exists (${REFERABLE_ESCALATION_CONTACT_SQL}) order by i.id`;
  return rows.map(({ id }) => id);
}

export type FormerEscalationContact = { organizationId: string; userId: string };
export type FormerEscalationContactAssignment = FormerEscalationContact & {
  incidentId: string;
  eventId: string;
};

/**
 * Lists the open incidents that are assigned to an escalation contact who can no longer read them, and all those that
 * are assigned to the given former contact, although that person can still read them. Leaves out contacts who are on
 * the team themselves.
 */
export const listFormerEscalationContactAssignments = (
  former: FormerEscalationContact | null,
): Promise<FormerEscalationContactAssignment[]> =>
  sql.$queryRaw<FormerEscalationContactAssignment[]>`
    select i.id as "incidentId", i.event_id as "eventId", e.organization_id as "organizationId", f.user_id as "userId"
    from incident_referrals f join incidents i on i.id = f.incident_id and i.assigned_responder_id = f.user_id
      join events e on e.id = i.event_id
    where i.state in ${OPEN_STATES_SQL} and f.user_id not in (${TEAM_MEMBERS_NOT_EXCLUDED_SQL})
      and (f.user_id not in (${INCIDENT_REFERRAL_READERS_SQL})
        or f.user_id = ${former?.userId ?? null}::uuid and e.organization_id = ${former?.organizationId ?? null}::uuid)
    order by i.id`;

type ReferralRow = Omit<ReferralRecord, "event"> & { eventId: string; eventName: string; eventSlug: string };

/** Lists the incidents that were referred to the actor as escalation contact, newest first. */
export async function listReferralsToActor(actor: Actor): Promise<ReferralRecord[]> {
  const ids = (actor.referrals ?? []).map(({ incidentId }) => incidentId);
  const rows = await sql.$queryRaw<ReferralRow[]>`
    select i.id, ${titleVisibleToContactSql(actor)} as title, i.state::text as state, i.severity::text as severity,
      i.created_at as "createdAt", e.id as "eventId", e.name as "eventName", e.slug as "eventSlug"
    from incidents i join events e on e.id = i.event_id
    where i.id = any(${ids}::uuid[]) and ${incidentNotHiddenSql(actor.hiddenIncidentIds)}
    order by i.created_at desc, i.id desc`;
  return rows.map(({ eventId, eventName, eventSlug, ...row }) => ({
    ...row,
    event: { id: eventId, name: eventName, slug: eventSlug },
  }));
}
