import { hasEventReaderSql } from "#lib/access/team-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { mayStillReportAtEventSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** SQL condition: the event is active and accepts reports from anyone with an account. */
const canAnyAccountReportSql = (eventId: string): Prisma.Sql => Prisma.sql`exists (
  select 1 from events e left join event_report_settings s on s.event_id = e.id
  where e.id = ${eventId}::uuid and e.is_active and coalesce(s.who_can_report, 'account') = 'account')`;

/** SQL condition: the actor may report at the event; `withoutRole`: also as anyone with an account (contract 7.16). */
export const maySendReportSql = (
  actor: Actor,
  eventId: string,
  { withoutRole }: { withoutRole: boolean },
): Prisma.Sql =>
  withoutRole
    ? Prisma.sql`(${mayStillReportAtEventSql(actor, eventId)} or ${canAnyAccountReportSql(eventId)})`
    : mayStillReportAtEventSql(actor, eventId);

/** What `reportRefusalSql` and its like return where nobody can read reports (contract 6.10). */
export const EVENT_NOT_OPEN_REFUSAL = "notOpen";

/**
 * SQL for the reason to refuse a report of the actor, as text, or null. Only somebody with a role in the event may
 * report where nobody can read it.
 */
export const reportRefusalSql = (
  actor: Actor,
  eventId: string,
  reporting: { withoutRole: boolean },
): Prisma.Sql => Prisma.sql`case
  when not ${maySendReportSql(actor, eventId, reporting)} then 'noRole'
  when ${reporting.withoutRole}::boolean and not ${mayStillReportAtEventSql(actor, eventId)}
    and not ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)} then ${EVENT_NOT_OPEN_REFUSAL} end`;

/** SQL for the reason why an event accepts no reports without an account; null if it accepts them. */
export const reportWithoutAccountRefusalSql = (eventId: string): Prisma.Sql => Prisma.sql`case
  when not coalesce((select s.without_account from event_report_settings s where s.event_id = ${eventId}::uuid), true) then 'needsAccount'
  when not ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)} then ${EVENT_NOT_OPEN_REFUSAL} end`;

type ReportAccess = { isActive: boolean; open: boolean; hasReader: boolean };

/**
 * Finds whether an event is active, whether it accepts reports from anyone with an account, and whether anybody can
 * read them.
 * @param locks whether the answer holds until the commit
 */
export async function findEventReportingStatus(
  client: SqlClient,
  eventId: string,
  { locks }: { locks: boolean },
): Promise<ReportAccess | undefined> {
  const lock = locks ? Prisma.sql`for share of e` : Prisma.empty;
  const [event] = await client.$queryRaw<ReportAccess[]>`
    select e.is_active as "isActive", coalesce(s.who_can_report, 'account') = 'account' as open,
      ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)} as "hasReader"
    from events e left join event_report_settings s on s.event_id = e.id where e.id = ${eventId}::uuid ${lock}`;
  return event;
}
