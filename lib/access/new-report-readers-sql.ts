import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  activeTeamMembersSql,
  peopleWhoMayBeNamedSql,
  selectOutsidePersonOfEventSql,
  teamAndOrganizationMembersSql,
} from "#lib/access/team-sql.ts";
import type { ReportWithResolvedReaders } from "#lib/incidents/team-answer.ts";

/** What decides who can read a new report. */
type NewReportReaders = ReportWithResolvedReaders & {
  eventId: string;
  sender: string | null;
  /** Set where a team member took the report for somebody. */
  taking?: object;
};

/**
 * Selects one row: why the report can't be hidden from those whom it names, or null, and the outside person who reads it,
 * or null. They do if nobody else on the team is left to, or if the reporter wants them alone to read it, unless they send it
 * or it is hidden from them; never a report that a team member takes, who must leave an Admin who can read it. The answer
 * about the team is never refused: that would tell who has a name.
 */
export function checkNewReportReadersSql(submission: NewReportReaders): Prisma.Sql {
  const { eventId, sender, taking, report, isTeamAnswer, isForOutsidePersonAlone, hidesFromTeam, isListed } =
    submission;
  const ids = Prisma.sql`${report.excludedUserIds}::uuid[]`;
  if (!isListed)
    return Prisma.sql`select null as hiding_problem, null::uuid as outside_reader_id, null::uuid as outside_person_id`;
  return Prisma.sql`select case
      when not ${ids} <@ array(${isTeamAnswer ? peopleWhoMayBeNamedSql(eventId) : teamAndOrganizationMembersSql(eventId)}) or coalesce(${sender}::uuid = any(${ids}), false) then 'mustBeOnTeam'
      when not has_reader and outside_person is null and not ${isTeamAnswer}::boolean then 'mustLeaveReader'
    end as hiding_problem, case when not has_reader or ${isForOutsidePersonAlone}::boolean then outside_person end as outside_reader_id,
    (${selectOutsidePersonOfEventSql(eventId)}) as outside_person_id
    from (select
      (select c.user_id from (${selectOutsidePersonOfEventSql(eventId)}) c where not ${taking !== undefined}::boolean
        and c.user_id <> all(${ids}) and c.user_id is distinct from ${sender}::uuid) as outside_person,
      exists (select 1 from (${activeTeamMembersSql(eventId, { admins: taking !== undefined })}) t
        where not ${hidesFromTeam}::boolean and t.user_id <> all(${ids}) and t.user_id is distinct from ${sender}::uuid) as has_reader) found`;
}
