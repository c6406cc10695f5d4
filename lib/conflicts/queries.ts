import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  HAS_REFERRED_BYPASS_REVIEWER_SQL,
  IS_CONFLICT_BYPASS_REVIEWED_SQL,
  bypassReviewerBehindIdsSql,
  LACKS_BYPASS_REVIEWERS_SQL,
  mayReviewBypassesSql,
} from "#lib/conflicts/review-sql.ts";
import { CONFLICT_BYPASS_REVIEW_HOURS, type ConflictCheckRecord } from "#lib/conflicts/schema.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { referralReadersAndReviewersSql } from "#lib/access/team-sql.ts";

type ConflictCheckPermissionSubject = IncidentWithoutContentPermissionSubject & { isUnopened: boolean };

const PERSON = { select: { id: true, name: true } } as const;

/**
 * Loads an incident's conflict check as the actor sees it. Until they have answered, it leaves out the answers and
 * bypasses of others.
 */
export async function loadConflictCheck(
  context: ConflictCheckPermissionSubject & { actor: Actor },
): Promise<ConflictCheckRecord> {
  const { incidentId, isUnopened, actor } = context;
  const incident = await prisma.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: { conflictCheck: true, reporterId: true, reportedPersonName: true },
  });
  const { reportedPersonName } = incident;
  if (actor.onlyReviews) return loadBypassReview(context);
  const common = { reportedPersonName, onlyReviews: false };
  if (isUnopened) return { ...common, status: "unanswered", answers: [], bypasses: [] };
  const [answers, bypasses] = await Promise.all([listAnswers(incidentId), listBypasses(context)]);
  const own = answers.find(({ person }) => person.id === actor.id);
  return { ...common, status: own ? (own.answer ?? "bypassed") : null, answers, bypasses };
}

/**
 * Loads what an escalation contact who only reviews sees: who opened the incident without answering the conflict check,
 * when and why.
 */
const loadBypassReview = async (context: ReviewContext): Promise<ConflictCheckRecord> => ({
  status: "unanswered",
  reportedPersonName: null,
  onlyReviews: true,
  answers: [],
  bypasses: await listBypasses(context),
});

async function listAnswers(incidentId: string): Promise<ConflictCheckRecord["answers"]> {
  const rows = await prisma.conflictAnswer.findMany({
    where: { incidentId },
    orderBy: [{ answeredAt: "asc" }, { userId: "asc" }],
    select: { user: PERSON, answer: true, answeredAt: true },
  });
  return rows.map(({ user, ...row }) => ({ person: user, ...row }));
}

/**
 * Lists who opened the incident without answering the conflict check, and the reviews of that. Their reasons are in the
 * access log, in entries of the same time.
 */
async function listBypasses(context: ReviewContext): Promise<ConflictCheckRecord["bypasses"]> {
  const { incidentId, actor } = context;
  const [rows, accessEntries, reviewing] = await Promise.all([
    listStoredBypasses(incidentId),
    prisma.incidentAccess.findMany({
      where: { incidentId, kind: "bypass" },
      select: { at: true, actorId: true, reason: true },
    }),
    loadBypassReviews(context),
  ]);
  const bypassedBy = new Set(rows.map(({ userId }) => userId));
  return rows.map(({ id, at, user, reviews: allReviews }) => {
    const reviewBy = new Date(at.getTime() + CONFLICT_BYPASS_REVIEW_HOURS * 3_600_000);
    const reviews = allReviews.filter(({ reviewer, reviewerBehindIds }) =>
      bypassedBy.isDisjointFrom(new Set([reviewer.id, ...reviewerBehindIds])),
    );
    const isReviewed = reviewing.reviewedIds.includes(id);
    const accessEntry = accessEntries.find((one) => one.at.getTime() === at.getTime());
    return {
      id,
      person: user,
      reason: accessEntry?.reason ?? null,
      at,
      reviews: reviews.map(({ reviewer, at: reviewedAt }) => ({ person: reviewer, at: reviewedAt })),
      reviewBy,
      isReviewed,
      reviewers: reviewing.lacksReviewers ? (reviewing.hasContact ? "contact" : "nobody") : "team",
      isOverdue: !isReviewed && reviewBy < new Date(),
      canReview:
        !isReviewed && reviewing.mayReview && reviews.every(({ reviewer }) => reviewer.id !== actor.id),
    };
  });
}

const listStoredBypasses = (incidentId: string) =>
  prisma.conflictBypass.findMany({
    where: { incidentId },
    orderBy: [{ at: "asc" }, { id: "asc" }],
    select: {
      id: true,
      at: true,
      userId: true,
      user: PERSON,
      reviews: { orderBy: { at: "asc" }, select: { reviewer: PERSON, at: true, reviewerBehindIds: true } },
    },
  });

type ReviewContext = Pick<ConflictCheckPermissionSubject, "incidentId" | "eventId"> & { actor: Actor };
type Reviewing = { mayReview: boolean; reviewedIds: string[]; lacksReviewers: boolean; hasContact: boolean };

/** Loads which bypasses of an incident's conflict check are reviewed, and who is left to review the others. */
async function loadBypassReviews({ incidentId, eventId, actor }: ReviewContext): Promise<Reviewing> {
  const [row] = await sql.$queryRaw<Reviewing[]>`
    select array(select b.id::text from conflict_bypasses b where b.incident_id = i.id and ${IS_CONFLICT_BYPASS_REVIEWED_SQL}) as "reviewedIds",
      ${mayReviewBypassesSql(incidentId, actor.id, bypassReviewerBehindIdsSql({ incidentId, eventId, personId: actor.id }))} as "mayReview",
      ${LACKS_BYPASS_REVIEWERS_SQL} as "lacksReviewers", ${HAS_REFERRED_BYPASS_REVIEWER_SQL} as "hasContact"
    from incidents i where i.id = ${incidentId}::uuid`;
  return row ?? { mayReview: false, reviewedIds: [], lacksReviewers: false, hasContact: false };
}

type Reviewer = { reviewerBehindIds: string[]; mayReview: boolean };

/** Finds the people who brought in the actor, and whether the actor may review the bypasses of an incident. */
export async function findActorBypassReviewRightAndInviters(
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId, actor }: ReviewContext,
): Promise<Reviewer> {
  const [row] = await tx.$queryRaw<Reviewer[]>`
    select behind_ids as "reviewerBehindIds", ${mayReviewBypassesSql(incidentId, actor.id, Prisma.sql`behind_ids`)} as "mayReview"
    from (select ${bypassReviewerBehindIdsSql({ incidentId, eventId, personId: actor.id })} as behind_ids) b`;
  return row ?? { reviewerBehindIds: [], mayReview: false };
}

type CheckFlags = { isChecked: boolean; onTeam: boolean; isReviewer: boolean };

/** Finds whether an incident's conflict check asks the actor, and whether they still read it or review its bypasses. */
export async function findActorConflictCheckFlags(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { actor, eventId }: { actor: Actor; eventId: string },
): Promise<CheckFlags | undefined> {
  const [row] = await tx.$queryRaw<CheckFlags[]>`
    select i.conflict_check and not coalesce(i.reporter_id = ${actor.id}::uuid, false) as "isChecked",
      ${isStillOnEventTeamSql(actor, eventId)} as "onTeam",
      ${actor.onlyReviews === true}::boolean and ${actor.id}::uuid in (${referralReadersAndReviewersSql(incidentId)}) as "isReviewer"
    from incidents i where i.id = ${incidentId}::uuid`;
  return row;
}
