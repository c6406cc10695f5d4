import { isReaderSql } from "#lib/access/readers-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { EVENT_ADMIN_ROLES, ORG_ADMIN_ROLES, REPORTER_ROLES, TEAM_ROLES } from "#lib/access/role-sets.ts";
import { hasEventReaderSql } from "#lib/access/team-sql.ts";
import { OPENED_IN_EMERGENCY_KIND, EVENT_WITHOUT_READER_KIND } from "#lib/jobs/outbox-events.ts";
import type { NotificationKind } from "#lib/notifications/schema.ts";

/** Conditions on a role `r` in the event, or a membership `m` in the organization. */
const isTeam = Prisma.sql`r.role_name::text = any(${TEAM_ROLES}::text[])`;
const isEventAdmin = Prisma.sql`r.role_name::text = any(${EVENT_ADMIN_ROLES}::text[])`;
const isInEvent = Prisma.sql`r.role_name::text = any(${[...REPORTER_ROLES, ...TEAM_ROLES]}::text[])`;
const isOrgAdmin = Prisma.sql`m.role::text = any(${ORG_ADMIN_ROLES}::text[])`;

/** Condition on an event `d`: the reporter wrote the message. A message without an actor is the reporter's, too. */
const isFromReporter = Prisma.sql`(d.actor_id is null or d.actor_id = d.reporter_id)`;
/** Condition: somebody joined as a Reporter by invite. Hundreds may do so, and admins aren't notified of it. */
const isJoining = Prisma.sql`coalesce(d.state = any(${REPORTER_ROLES}::text[]) and d.actor_id = any(d.person_ids), false)`;

/** Condition: nobody can read the reports of the event, by now either. */
const isEventWithoutReader = Prisma.sql`d.kind = ${EVENT_WITHOUT_READER_KIND} and not ${hasEventReaderSql(Prisma.sql`d.event_id`)}`;

const isConcernedPerson = Prisma.sql`r.user_id = any(d.person_ids)`;
const isAssignee = Prisma.sql`r.user_id = d.assignee_id`;
const isEarlierAuthor = Prisma.sql`exists (
  select 1 from team_notes t where t.incident_id = d.incident_id and t.author_id = r.user_id)`;
/**
 * Condition: there never was an assignee, or they have left the team or are disabled, or the incident is hidden from
 * them, even if they have opened it for a limited time.
 */
const hasNoAssignee = Prisma.sql`not exists (
  select 1 from event_roles a join users u on u.id = a.user_id and u.disabled_at is null
  where a.event_id = d.event_id and a.user_id = d.assignee_id and not a.pending and a.role_name::text = any(${TEAM_ROLES}::text[])
    and exists (select 1 from incidents i where i.id = d.incident_id and ${isReaderSql(Prisma.sql`a.user_id`)}))`;

/** Conditions, by kind, for the members of an event's team and the admins who are notified. */
const EVENT_RECIPIENT_CONDITIONS: Record<NotificationKind, Prisma.Sql> = {
  "incident.created": isTeam,
  "incident.urgent": isTeam,
  "incident.waiting": Prisma.sql`${isTeam} and ${isConcernedPerson}`,
  "incident.escalated": isEventAdmin,
  "incident.critical": isEventAdmin,
  "incident.assigned": Prisma.sql`${isTeam} and ${isConcernedPerson}`,
  "incident.state": Prisma.sql`${isTeam} and ${isAssignee}`,
  "message.created": Prisma.sql`${isTeam} and ${isFromReporter} and (${isAssignee} or ${hasNoAssignee})`,
  "message.afterClosing": Prisma.sql`${isTeam} and (${isAssignee} or ${isEventAdmin})`,
  "incident.expiring": isTeam,
  "incident.holdReview": isTeam,
  "incident.emergency": isTeam,
  "incident.withdrawn": Prisma.sql`${isTeam} and (${isAssignee} or ${hasNoAssignee})`,
  "message.fromParty": Prisma.sql`${isTeam} and (${isAssignee} or ${hasNoAssignee})`,
  "note.created": Prisma.sql`${isTeam} and (${isConcernedPerson} or ${isAssignee} or ${isEarlierAuthor})`,
  "file.added": Prisma.sql`${isTeam} and ${isAssignee}`,
  "role.changed": Prisma.sql`${isEventAdmin} and not ${isJoining}`,
  "invite.changed": isEventAdmin,
  "event.withoutReader": Prisma.sql`false`,
};

function conditionByKind(conditions: Partial<Record<NotificationKind, Prisma.Sql>>): Prisma.Sql {
  const cases = Object.entries(conditions).map(
    ([kind, condition]) => Prisma.sql`when ${kind} then ${condition}`,
  );
  return Prisma.sql`case d.kind ${Prisma.join(cases, " ")} else false end`;
}

/** Conditions, by kind, under which the outside person who reads an incident is notified. */
const OUTSIDE_PERSON_CONDITIONS: Partial<Record<NotificationKind, Prisma.Sql>> = {
  "incident.created": Prisma.sql`true`,
  "incident.urgent": Prisma.sql`true`,
  "incident.escalated": Prisma.sql`true`,
  "incident.critical": Prisma.sql`true`,
  "message.created": isFromReporter,
  "message.afterClosing": Prisma.sql`true`,
  "incident.expiring": Prisma.sql`true`,
  "incident.holdReview": Prisma.sql`true`,
  "incident.emergency": Prisma.sql`true`,
  "incident.withdrawn": Prisma.sql`true`,
  "message.fromParty": Prisma.sql`true`,
};
/**
 * Selects the recipients of each event in the table expression `dispatched`, as rows of `deduplication_id` and
 * `user_id`: only people whose roles let them see it now. A person may occur twice. The caller leaves out the actor.
 *
 * Recipients are the event's team and admins, or the outside person where nobody on the team may read the report;
 * the reporter, while a role lets them see their own report; the person whose role changed, while they hold one; for
 * what belongs to no event, the people of the organization; and of an event without a reader, its organization's admins
 * and all SystemAdmins. Whoever hasn't accepted their role hears only of that role.
 */
export const NOTIFICATION_RECIPIENTS_SQL = Prisma.sql`
  select d.deduplication_id, r.user_id from dispatched d join event_roles r on r.event_id = d.event_id and not r.pending
  where ${conditionByKind(EVENT_RECIPIENT_CONDITIONS)}
  union all
  select d.deduplication_id, r.user_id from dispatched d join event_roles r on r.event_id = d.event_id and r.user_id = d.reporter_id
    and not r.pending
  where ${isInEvent} and (d.kind in ('incident.state', ${OPENED_IN_EMERGENCY_KIND}) or (d.kind = 'message.created' and not ${isFromReporter}))
  union all
  select d.deduplication_id, r.user_id from dispatched d join event_roles r on r.event_id = d.event_id and ${isConcernedPerson}
  where ${isInEvent} and d.kind = 'role.changed'
  union all
  select d.deduplication_id, f.user_id from dispatched d
    join incident_readers f on f.incident_id = d.incident_id and f.source = 'outside' and f.access >= 'ask'
    join organization_members m on m.organization_id = d.organization_id and m.user_id = f.user_id
  where ${conditionByKind(OUTSIDE_PERSON_CONDITIONS)}
  union all
  select d.deduplication_id, m.user_id from dispatched d join organization_members m on m.organization_id = d.organization_id
  where d.event_id is null and ${conditionByKind({
    "role.changed": Prisma.sql`m.user_id = any(d.person_ids) or (${isOrgAdmin} and not m.pending and not ${isJoining})`,
    "invite.changed": Prisma.sql`${isOrgAdmin} and not m.pending`,
  })}
  union all
  select d.deduplication_id, m.user_id from dispatched d join organization_members m on m.organization_id = d.organization_id
  where ${isEventWithoutReader} and ${isOrgAdmin} and not m.pending
  union all
  select d.deduplication_id, a.id from dispatched d join users a on a.system_admin where ${isEventWithoutReader}`;
