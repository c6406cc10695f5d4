import { Prisma } from "#lib/generated/prisma/client.ts";
import { listReferredIncidentIds } from "#lib/access/visibility.ts";
import { UNOPENED_INCIDENT_TITLE } from "#lib/access/unopened-title.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * SQL for incidents under the conflict check (docs/decisions/065). Such an incident is closed to each reader except its
 * reporter until `conflict_answers` has a row for that reader, who has answered the check or bypassed it. Service
 * tokens never have such a row.
 */

/** The title shown until the reader has answered an incident's conflict check, as an SQL literal. */
export const UNANSWERED_CONFLICT_CHECK_TITLE_SQL = Prisma.raw(`'${UNOPENED_INCIDENT_TITLE}'`);

/**
 * The condition that the reader hasn't answered the conflict check of incident `i` yet.
 * @param readerId null for a reader who can't answer, to whom every incident under the check is closed
 */
export const isConflictCheckUnansweredSql = (readerId: string | null): Prisma.Sql =>
  Prisma.sql`(i.conflict_check and not coalesce(i.reporter_id = ${readerId}::uuid, false) and not exists (
    select 1 from conflict_answers o where o.incident_id = i.id and o.user_id = ${readerId}::uuid))`;

/** The title of incident `i` as the reader may see it. */
export const titleVisibleToReaderSql = (readerId: string | null): Prisma.Sql =>
  Prisma.sql`case when ${isConflictCheckUnansweredSql(readerId)} then ${UNANSWERED_CONFLICT_CHECK_TITLE_SQL} else i.title end`;

/**
 * The title of incident `i`, which may be referred to the actor, as they may see it: an answer that they gave as a
 * member of the team doesn't open what they only review now.
 */
export const titleVisibleToContactSql = (actor: Actor): Prisma.Sql =>
  Prisma.sql`case when i.id = any(${listReferredIncidentIds(actor).toReview}::uuid[]) then ${UNANSWERED_CONFLICT_CHECK_TITLE_SQL}
    else ${titleVisibleToReaderSql(actor.id)} end`;

/**
 * `updated_at` of incident `i` where its content is withheld: the latest of the times that remain visible, since the
 * real one would reveal when messages and notes were written.
 */
export const WITHHELD_UPDATED_AT_SQL = Prisma.raw(
  "greatest(i.created_at, i.first_response_at, i.resolved_at, i.escalated_at, i.reopened_at)",
);

/** `updated_at` of incident `i` as the reader may know it. */
export const updatedAtVisibleToReaderSql = (readerId: string | null): Prisma.Sql =>
  Prisma.sql`case when ${isConflictCheckUnansweredSql(readerId)} then ${WITHHELD_UPDATED_AT_SQL} else i.updated_at end`;

/**
 * The condition that the deadline of incident `i` is withheld from the reader until they answer the conflict check:
 * that of an update reveals when somebody wrote last; that of the first response follows from the time of the report.
 */
export const isDeadlineWithheldSql = (readerId: string | null): Prisma.Sql =>
  Prisma.sql`(i.due_for = 'update' and i.due_at is not null and ${isConflictCheckUnansweredSql(readerId)})`;

/**
 * The condition that the deadline of incident `i` isn't withheld from the reader. It looks up the ids of those whose
 * deadline is, once for the statement, so that an index which has the deadline needs no other column of `i`.
 * @param isListed a condition on incidents `i` that holds for all to which this is applied
 */
export const isDeadlineReadableSql = (readerId: string | null, isListed: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`i.id not in (select i.id from incidents i where ${isListed} and ${isDeadlineWithheldSql(readerId)})`;

/** The ids of an event's incidents whose conflict check the reader hasn't answered, as an array. */
export const incidentIdsAwaitingConflictCheckSql = (eventId: string, readerId: string | null): Prisma.Sql =>
  Prisma.sql`array(select i.id from incidents i where i.event_id = ${eventId}::uuid and ${isConflictCheckUnansweredSql(readerId)})`;
