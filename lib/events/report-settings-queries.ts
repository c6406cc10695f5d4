import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { ReportSettingsRecord } from "#lib/events/report-settings.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { hasEventReaderSql, selectOutsidePersonOfEventSql } from "#lib/access/team-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";

/** A safe upper bound; teams are smaller. */
const MAX_TEAM_NAMES = 100;

type ReportSettingsRow = Omit<ReportSettingsRecord, "exitUrl"> & { exitUrl: string | null };

/** Finds the settings of an event for people who report, and its team, in one query. */
export async function findEventReportSettingsAndTeam(
  eventId: string,
  defaults: { nextUpdateWithinDays: number },
  client: Pick<SqlClient, "$queryRaw"> = sql,
): Promise<ReportSettingsRow | undefined> {
  const [row] = await client.$queryRaw<ReportSettingsRow[]>`
    select coalesce(s.who_can_report::text, 'account') as "whoCanReport",
      coalesce(s.search_engines, true) as "searchEngines", coalesce(s.without_account, true) as "withoutAccount", coalesce(s.show_team, false) as "showTeam", s.emergency_contact as "emergencyContact",
      s.emergency_phone as "emergencyPhone", s.emergency_number as "emergencyNumber",
      s.exit_url as "exitUrl", s.answer_within_hours as "answerWithinHours",
      coalesce(s.next_update_within_days, ${defaults.nextUpdateWithinDays}::int) as "nextUpdateWithinDays",
      coalesce(s.updated_at, e.created_at) as "updatedAt",
      case when s.show_team then (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'role', t.role)), '[]') from (
          select u.id, u.name, max(r.role_name)::text as role
          from event_roles r join users u on u.id = r.user_id
          where r.event_id = e.id and r.role_name in ${TEAM_ROLES_SQL} and not r.pending and u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}
          group by u.id order by u.name collate title_order, u.id limit ${MAX_TEAM_NAMES}) t
      ) else '[]'::jsonb end as team,
      (select jsonb_build_object('id', u.id, 'name', u.name) from (${selectOutsidePersonOfEventSql(eventId)}) c join users u on u.id = c.user_id
        where not exists (select 1 from event_roles r where r.event_id = e.id and r.user_id = c.user_id and r.role_name in ${TEAM_ROLES_SQL})) as "outsidePerson",
      ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)} as "hasReader",
      (select o.conflict_check from organizations o where o.id = e.organization_id) as "conflictCheck"
    from events e left join event_report_settings s on s.event_id = e.id
    where e.id = ${eventId}::uuid`;
  return row;
}
