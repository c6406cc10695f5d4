import { Prisma } from "#lib/generated/prisma/client.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import {
  RETENTION_CHANGE_GRACE_DAYS,
  MIN_DELETION_NOTICE_DAYS,
  MIN_RETENTION_AFTER_LAST_ACTIVITY_DAYS,
} from "./schema.ts";

/**
 * When incidents are deleted, computed from the rules in every query (docs/decisions/060): a change of the rules, a
 * message or a new status counts at once, and no stored date can be out of date.
 */

/** The organization's stored rules as rows `r`. A preview passes the rows of an unsaved change instead. */
export const RETENTION_RULES_TABLE_SQL = Prisma.sql`retention_rules`;

/** The time in UTC, without a zone, so that adding months doesn't depend on the session's zone. */
const utcSql = (time: Prisma.Sql) => Prisma.sql`(${time} at time zone 'UTC')`;

/** The present day in UTC. */
export const TODAY_UTC_SQL = Prisma.sql`(now() at time zone 'UTC')::date`;

/** Months by the status, and for a report without a name; the sooner of the two applies. */
const MONTHS_SQL = Prisma.sql`
  select b.by_state, b.by_name, least(b.by_state, b.by_name) as months
  from (select case i.state when 'resolved' then r.resolved_months when 'closed' then r.closed_months end as by_state,
    case when i.reporter_id is null then r.without_name_months end as by_name) b`;

/** The last message, note or entry in the history; entries stay when a note or a message is removed. */
const LAST_STEP_SQL = Prisma.sql`greatest(i.last_message_at,
  (select max(n.created_at) from team_notes n where n.incident_id = i.id),
  (select max(s.created_at) from incident_history s where s.incident_id = i.id))`;

const TIMES_SQL = Prisma.sql`
  select ${utcSql(Prisma.sql`i.resolved_at`)} + make_interval(months => m.months) as by_rule,
    ${utcSql(Prisma.sql`r.changed_at`)} + make_interval(days => ${RETENTION_CHANGE_GRACE_DAYS}::int) as by_change,
    ${utcSql(Prisma.sql`h.released_at`)} + make_interval(days => ${RETENTION_CHANGE_GRACE_DAYS}::int) as by_release,
    ${utcSql(LAST_STEP_SQL)} + make_interval(days => ${MIN_RETENTION_AFTER_LAST_ACTIVITY_DAYS}::int) as by_message`;

/**
 * The day of deletion that the notice named, but at least seven days after the notice. Without a notice since the
 * report was finished, the rules changed or a hold was released, the day is seven days from today: the next run of the
 * job notifies.
 */
const NOTICE_SQL = Prisma.sql`
  select coalesce(min(greatest(n.due_on, ${utcSql(Prisma.sql`n.given_at`)}::date + ${MIN_DELETION_NOTICE_DAYS}::int)),
    ${TODAY_UTC_SQL} + ${MIN_DELETION_NOTICE_DAYS}::int) as notice_on
  from retention_notices n where n.incident_id = i.id and n.days_ahead > 0
    and n.given_at >= greatest(i.resolved_at, r.changed_at, h.released_at)`;

/**
 * The day of the deletion, its rule, what delays it, and whether a hold stops it. The day is the first UTC day that
 * begins after all times of `TIMES_SQL`, but not before the day of `NOTICE_SQL`.
 */
const DATES_SQL = Prisma.sql`
  select greatest(b.base_on, a.notice_on) as delete_on,
    case when m.by_name < m.by_state or m.by_state is null then 'withoutName' else i.state::text end as rule,
    case when a.notice_on > b.base_on then 'notice'
      when t.by_rule >= greatest(t.by_change, t.by_release, t.by_message) then null
      when t.by_message >= greatest(t.by_change, t.by_release, t.by_message) then 'message'
      when t.by_release >= greatest(t.by_change, t.by_release) then 'release' else 'rules' end as delayed_by,
    h.held_at is not null as held
  from (select (greatest(t.by_rule, t.by_change, t.by_release, t.by_message) + interval '1 day')::date as base_on) b`;

/**
 * The clauses `from … where …` that select finished incidents `i` with event `e`, rules `r`, retention `h`, months `m`
 * and the date `d` (`delete_on`, `rule`, `delayed_by`, `held`). Incidents without a rule aren't among them.
 * @param rules the rows `r`: `RETENTION_RULES_TABLE_SQL`, or those of an unsaved change
 */
export const fromIncidentsUnderRetentionSql = (rules: Prisma.Sql): Prisma.Sql => Prisma.sql`
  from incidents i join events e on e.id = i.event_id join ${rules} r on r.organization_id = e.organization_id
  left join incident_retention h on h.incident_id = i.id
  cross join lateral (${MONTHS_SQL}) m cross join lateral (${TIMES_SQL}) t
  cross join lateral (${NOTICE_SQL}) a cross join lateral (${DATES_SQL}) d
  where ${IS_RESOLVED_OR_CLOSED_SQL} and m.months is not null`;

/** The condition that an incident `i` is resolved or closed. */
export const IS_RESOLVED_OR_CLOSED_SQL = Prisma.sql`i.state not in ${OPEN_STATES_SQL} and i.resolved_at is not null`;

/**
 * The condition that an incident's rule ends within this many days. Nothing makes the deletion earlier than that, so it
 * is checked first: notices and last changes are then read for these incidents only.
 */
export const isRetentionOverWithinDaysSql = (days: number): Prisma.Sql =>
  Prisma.sql`t.by_rule < ${TODAY_UTC_SQL} + ${days}::int`;

/** The condition that the rules delete an incident today. */
export const IS_DELETION_DUE_SQL = Prisma.sql`${isRetentionOverWithinDaysSql(0)} and not d.held and d.delete_on <= ${TODAY_UTC_SQL}`;
