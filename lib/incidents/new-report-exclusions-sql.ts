import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  activeTeamMembersSql,
  selectEscalationContactOfEventSql,
  teamAndOrganizationMembersSql,
} from "#lib/access/team-sql.ts";
import type { ReportWithResolvedExclusions } from "#lib/incidents/team-answer.ts";

/** What decides who can read a new report. */
type NewReportReaders = ReportWithResolvedExclusions & {
  eventId: string;
  sender: string | null;
  /** Set where a team member took the report for somebody. */
  taking?: object;
};

/**
 * Selects one row: why the report can't be hidden from the people whom it excludes, or null, and the escalation
 * contact who reads it, or null. The contact does if nobody else on the team is left to, or if the reporter wants the
 * contact alone to read it; never the sender or an excluded person. An intake is never passed on: its taker must leave an
 * Admin who can read it. The answer about the team is never refused: that would tell who has a name.
 */
export function checkNewReportExclusionsSql(submission: NewReportReaders): Prisma.Sql {
  const { eventId, sender, taking, report, isTeamAnswer, isForContactAlone } = submission;
  const ids = Prisma.sql`${report.excludedUserIds}::uuid[]`;
  if (report.excludedUserIds.length === 0)
    return Prisma.sql`select null as exclusion_problem, null::uuid as referred_to, null::uuid as outside_person_id`;
  return Prisma.sql`select case
      when not ${ids} <@ array(${teamAndOrganizationMembersSql(eventId)}) or coalesce(${sender}::uuid = any(${ids}), false) then 'mustBeOnTeam'
      when not has_reader and contact is null and not ${isTeamAnswer}::boolean then 'mustLeaveReader'
    end as exclusion_problem, case when not has_reader or ${isForContactAlone}::boolean then contact end as referred_to,
    (${selectEscalationContactOfEventSql(eventId)}) as outside_person_id
    from (select
      (select c.user_id from (${selectEscalationContactOfEventSql(eventId)}) c where not ${taking !== undefined}::boolean
        and c.user_id <> all(${ids}) and c.user_id is distinct from ${sender}::uuid) as contact,
      exists (select 1 from (${activeTeamMembersSql(eventId, { admins: taking !== undefined })}) t
        where t.user_id <> all(${ids}) and t.user_id is distinct from ${sender}::uuid) as has_reader) found`;
}
