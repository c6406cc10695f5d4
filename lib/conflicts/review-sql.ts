import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  hasEscalationContactIndependentOfSql,
  teamMembersNotInvitedThroughSql,
  hasNoInviterAmongSql,
  inviterChainIdsOfIncidentReaderSql,
  referralReadersAndReviewersSql,
  selectEscalationContactOfEventSql,
  INCIDENT_REFERRAL_READERS_AND_REVIEWERS_SQL,
} from "#lib/access/team-sql.ts";
import { CONFLICT_BYPASS_REVIEWERS_REQUIRED } from "#lib/conflicts/schema.ts";

/**
 * SQL about the reviewers of a bypass of the conflict check (contract 18.5). A reviewer must not have bypassed the
 * incident's check, whether before or after the review. Nor may anybody who bypassed it have brought in the reviewer,
 * who could be a second account of the same person (docs/decisions/070).
 */

/** The people who have bypassed an incident's conflict check, as an array. */
const bypasserIdsSql = (incidentId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`array(select o.user_id from conflict_bypasses o where o.incident_id = ${incidentId} and o.user_id is not null)`;

const BYPASSER_IDS_SQL = bypasserIdsSql(Prisma.sql`i.id`);

/** The condition that review `r` of bypass `b` counts. */
const IS_BYPASS_REVIEW_VALID_SQL = hasNoInviterAmongSql(
  bypasserIdsSql(Prisma.sql`b.incident_id`),
  Prisma.sql`(r.reviewer_id || r.reviewer_behind_ids)`,
);

const SYSTEM_ADMIN_IDS_SQL = Prisma.sql`array(select u.id from users u where u.system_admin or u.system_admin_until is not null)`;

type BypassReviewer = { incidentId: string; eventId: string; personId: string };

/**
 * The ids of the people who may be behind a reviewer, as an array. For somebody who is neither on the team nor the
 * escalation contact, these are all people who have ever been SystemAdmin: a SystemAdmin could otherwise make two
 * accounts of their own SystemAdmins and have them review.
 */
export const bypassReviewerBehindIdsSql = ({
  incidentId,
  eventId,
  personId,
}: BypassReviewer): Prisma.Sql => Prisma.sql`(${inviterChainIdsOfIncidentReaderSql(eventId, personId)}
  || case when list_people_behind_role(${eventId}::uuid, ${personId}::uuid) is not null
    or ${personId}::uuid in (select c.user_id from (${selectEscalationContactOfEventSql(eventId)}) c)
    or ${personId}::uuid in (${referralReadersAndReviewersSql(incidentId)}) then '{}' else ${SYSTEM_ADMIN_IDS_SQL} end)`;

/** The condition that a person may review the bypasses of an incident. */
export const mayReviewBypassesSql = (
  incidentId: string,
  personId: string,
  behindIds: Prisma.Sql,
): Prisma.Sql =>
  hasNoInviterAmongSql(
    bypasserIdsSql(Prisma.sql`${incidentId}::uuid`),
    Prisma.sql`(${personId}::uuid || ${behindIds})`,
  );

/**
 * The condition that bypass `b` of the conflict check is reviewed: by two people, or by the escalation contact, who
 * stands in for both.
 */
export const IS_CONFLICT_BYPASS_REVIEWED_SQL = Prisma.sql`
  (select count(*) >= ${CONFLICT_BYPASS_REVIEWERS_REQUIRED}::int or coalesce(bool_or(exists (
      select 1 from incident_referrals f where f.incident_id = b.incident_id and f.user_id = r.reviewer_id)), false)
    from conflict_reviews r where r.bypass_id = b.id and ${IS_BYPASS_REVIEW_VALID_SQL})`;

const NOT_BYPASSED_BY_PERSON_SQL = Prisma.sql`p.user_id <> all(${BYPASSER_IDS_SQL})`;

/** The condition that too few people on the team of incident `i` have reviewed or can review. */
export const LACKS_BYPASS_REVIEWERS_SQL = Prisma.sql`
  (select count(*) from (
    select p.user_id from (${teamMembersNotInvitedThroughSql(BYPASSER_IDS_SQL)}) p where ${NOT_BYPASSED_BY_PERSON_SQL}
    union select r.reviewer_id from conflict_bypasses b join conflict_reviews r on r.bypass_id = b.id
      where b.incident_id = i.id and ${IS_BYPASS_REVIEW_VALID_SQL}) reviewers) < ${CONFLICT_BYPASS_REVIEWERS_REQUIRED}::int`;

/** The condition that incident `i` was referred to an escalation contact who can review. */
export const HAS_REFERRED_BYPASS_REVIEWER_SQL = Prisma.sql`
  exists (select 1 from (${INCIDENT_REFERRAL_READERS_AND_REVIEWERS_SQL}) p where ${NOT_BYPASSED_BY_PERSON_SQL})`;

/**
 * The condition that the conflict check of incident `i` was bypassed, and that only the escalation contact can
 * review that.
 */
export const NEEDS_BYPASS_REVIEW_BY_CONTACT_SQL = Prisma.sql`
  i.id in (select b.incident_id from conflict_bypasses b where not ${IS_CONFLICT_BYPASS_REVIEWED_SQL}) and ${LACKS_BYPASS_REVIEWERS_SQL}
  and ${hasEscalationContactIndependentOfSql(BYPASSER_IDS_SQL)}`;
