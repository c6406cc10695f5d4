import { runTransaction } from "#lib/database/client.ts";
import { appendOutboxEvents } from "#lib/outbox/append.ts";
import { HOLD_REVIEW_DUE, RETENTION_NOTICE } from "#lib/outbox/events.ts";
import { insertDueNoticesSql, type DueNotice } from "./queries.ts";

/**
 * Notifies the teams 30, 7 and 1 days before the rules delete an incident, and of a hold whose day of review has come;
 * each once, whichever process runs it. Mails about one event are gathered into one (docs/decisions/019).
 * @returns the number of notices
 */
export const notifyOfDeletions = (): Promise<number> =>
  runTransaction(async (tx) => {
    const notices = await tx.$queryRaw<DueNotice[]>(insertDueNoticesSql());
    await appendOutboxEvents(
      tx,
      notices.map(({ daysAhead, ...incident }) => ({
        kind: daysAhead === 0 ? HOLD_REVIEW_DUE : RETENTION_NOTICE,
        actorId: null,
        ...incident,
      })),
    );
    return notices.length;
  });
