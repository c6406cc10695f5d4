import { runTransaction } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { appendOutboxEvents } from "#lib/jobs/append-event.ts";
import { RETENTION_HOLD_REVIEW_DUE_KIND, DELETION_NOTICE_KIND } from "#lib/jobs/outbox-events.ts";
import {
  isRetentionOverWithinDaysSql,
  fromIncidentsUnderRetentionSql,
  RETENTION_RULES_TABLE_SQL,
  TODAY_UTC_SQL,
} from "./due-sql.ts";
import { DELETION_NOTICE_LEAD_DAYS } from "./schema.ts";

/**
 * Notifies the teams 30, 7 and 1 days before the rules delete an incident, and of a hold whose day of review has come;
 * each once, whichever process runs it. Mails about one event are gathered into one (docs/decisions/019).
 * @returns the number of notices
 */
export const notifyTeamsOfDeletionsAndHoldReviews = (): Promise<number> =>
  runTransaction(async (tx) => {
    const notices = await tx.$queryRaw<DueNotice[]>(insertDueNoticesSql());
    await appendOutboxEvents(
      tx,
      notices.map(({ daysAhead, ...incident }) => ({
        kind: daysAhead === 0 ? RETENTION_HOLD_REVIEW_DUE_KIND : DELETION_NOTICE_KIND,
        actorId: null,
        ...incident,
      })),
    );
    return notices.length;
  });

type DueNotice = { incidentId: string; eventId: string; organizationId: string; daysAhead: number };

/**
 * The statement that inserts the retention notices that are due, at most one for each incident, and returns them.
 * However often it runs, it inserts one notice for each day of deletion and number of days ahead. If a message
 * postpones the deletion, the first notice isn't repeated.
 */
const insertDueNoticesSql = (): Prisma.Sql => Prisma.sql`
  with due as (
    select i.id, e.id as event_id, e.organization_id, d.delete_on,
      (select min(n) from unnest(${[...DELETION_NOTICE_LEAD_DAYS]}::int[]) n where n >= d.delete_on - ${TODAY_UTC_SQL}) as days_ahead
    ${fromIncidentsUnderRetentionSql(RETENTION_RULES_TABLE_SQL)} and ${isRetentionOverWithinDaysSql(DELETION_NOTICE_LEAD_DAYS[0])} and not d.held and d.delete_on > ${TODAY_UTC_SQL}
      and d.delete_on - ${TODAY_UTC_SQL} <= ${DELETION_NOTICE_LEAD_DAYS[0]}::int
    union all
    select h.incident_id, e.id, e.organization_id, h.review_on, 0
    from incident_retention h join incidents i on i.id = h.incident_id join events e on e.id = i.event_id
    where h.held_at is not null and h.review_on <= ${TODAY_UTC_SQL}
  ), inserted as (
    insert into retention_notices (incident_id, due_on, days_ahead)
    select id, delete_on, days_ahead from due
    where days_ahead < ${DELETION_NOTICE_LEAD_DAYS[0]}::int or not exists (
      select 1 from retention_notices n where n.incident_id = due.id and n.days_ahead = due.days_ahead
        and n.due_on between due.delete_on - ${DELETION_NOTICE_LEAD_DAYS[0]}::int and due.delete_on)
    on conflict do nothing returning incident_id, days_ahead
  )
  select due.id as "incidentId", due.event_id as "eventId", due.organization_id as "organizationId", inserted.days_ahead::int as "daysAhead"
  from inserted join due on due.id = inserted.incident_id and due.days_ahead = inserted.days_ahead`;
