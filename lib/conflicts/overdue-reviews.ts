import { runTransaction } from "#lib/database/client.ts";
import { markOverdueReviews } from "#lib/conflicts/queries.ts";
import { appendOutboxEvents } from "#lib/outbox/append.ts";
import { NEEDS_CONTACT_REVIEW_SQL } from "#lib/conflicts/review-sql.ts";
import { referIncidents } from "#lib/exclusions/referrals.ts";
import { BYPASS_REVIEW_REQUESTED } from "#lib/outbox/events.ts";

/**
 * Notifies the teams of incidents that somebody opened without answering the conflict check and that two others haven't
 * reviewed in time; each once, whichever process runs it.
 * @returns the number of incidents
 */
export const notifyOfOverdueReviews = (): Promise<number> =>
  runTransaction(async (tx) => {
    const overdue = await markOverdueReviews(tx);
    await appendOutboxEvents(
      tx,
      overdue.map((incident) => ({ kind: BYPASS_REVIEW_REQUESTED, actorId: null, ...incident })),
    );
    return overdue.length;
  });

/**
 * Lets the escalation contact review what too few people on the team can (contract 18.5).
 * @returns the number of incidents
 */
export const referIncidentsWithoutReviewer = (): Promise<number> =>
  referIncidents(NEEDS_CONTACT_REVIEW_SQL, BYPASS_REVIEW_REQUESTED);
