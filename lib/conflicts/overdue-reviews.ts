import { runTransaction, type Tx } from "#lib/database/client.ts";
import { appendOutboxEvents } from "#lib/outbox/append.ts";
import {
  IS_CONFLICT_BYPASS_REVIEWED_SQL,
  NEEDS_BYPASS_REVIEW_BY_CONTACT_SQL,
} from "#lib/conflicts/review-sql.ts";
import { CONFLICT_BYPASS_REVIEW_HOURS } from "#lib/conflicts/schema.ts";
import { referIncidents } from "#lib/exclusions/referrals.ts";
import { CONFLICT_BYPASS_REVIEW_REQUESTED_KIND } from "#lib/outbox/events.ts";

/**
 * Notifies the teams of incidents that somebody opened without answering the conflict check and that two others haven't
 * reviewed in time; each once, whichever process runs it.
 * @returns the number of incidents
 */
export const notifyOfOverdueBypassReviews = (): Promise<number> =>
  runTransaction(async (tx) => {
    const overdue = await markOverdueReviews(tx);
    await appendOutboxEvents(
      tx,
      overdue.map((incident) => ({
        kind: CONFLICT_BYPASS_REVIEW_REQUESTED_KIND,
        actorId: null,
        ...incident,
      })),
    );
    return overdue.length;
  });

/**
 * Refers to the escalation contact those incidents whose bypasses too few people on the team can review (contract
 * 18.5).
 * @returns the number of incidents
 */
export const referConflictBypassReviewsToContact = (): Promise<number> =>
  referIncidents(NEEDS_BYPASS_REVIEW_BY_CONTACT_SQL, CONFLICT_BYPASS_REVIEW_REQUESTED_KIND);

type OverdueReview = { incidentId: string; eventId: string; organizationId: string };

/** Marks and returns the bypasses that two others haven't reviewed in time. Each is returned once. */
const markOverdueReviews = (tx: Tx): Promise<OverdueReview[]> =>
  tx.$queryRaw<OverdueReview[]>`
    with overdue as (
      update conflict_bypasses b set reminded_at = now()
      where b.reminded_at is null and b.at < now() - make_interval(hours => ${CONFLICT_BYPASS_REVIEW_HOURS}::int)
        and not ${IS_CONFLICT_BYPASS_REVIEWED_SQL}
      returning b.incident_id
    )
    select i.id as "incidentId", i.event_id as "eventId", e.organization_id as "organizationId"
    from incidents i join events e on e.id = i.event_id where i.id in (select o.incident_id from overdue o)`;
