import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "#lib/database/client.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { queueNotificationMails } from "#lib/notifications/mails.ts";
import { MAX_OUTBOX_EVENTS_PER_BATCH, dispatchOutboxBatch } from "./dispatch.ts";
import { detectDueOutboxEventsAndMails, listDueOutboxEventIds } from "./queries.ts";
import { setOutboxDispatcherWakeup } from "#lib/jobs/wakeup.ts";

/**
 * How long to wait after an event, to dispatch what follows in the same batch. A batch costs little more than one
 * event.
 */
const BATCH_DELAY_MS = { quiet: 20, busy: 100 };
/** From this many events a round on, the next round waits longer. */
const BUSY_BATCH_SIZE = 5;
/** How often to look for work without a wakeup: due mails, and events of a process that has ended. */
const POLL_INTERVAL_MS = 1000;
const MAX_RETRY_DELAY_MS = 2000;
/** How long `stop` waits for a running batch. An unfinished one is rolled back, and the next dispatcher picks it up. */
const STOP_TIMEOUT_MS = 10_000;

type Dispatcher = { stop(): Promise<void> };

/**
 * Dispatches outbox events of all processes, and queues due mails (docs/decisions/019). Events of this process take
 * about 30 ms, or 110 ms under load; those of another process at most a second, if that one doesn't dispatch them
 * itself. Without a database it retries, with delays up to two seconds.
 */
export function startOutboxDispatcher(): Dispatcher {
  const stopping = new AbortController();
  let wakeup = Promise.withResolvers<void>();
  const requestRound = () => wakeup.resolve();
  const pollTimer = setInterval(requestRound, POLL_INTERVAL_MS).unref();
  setOutboxDispatcherWakeup(requestRound);
  let recentEventCount = 0;
  const runRound = async () => {
    await wakeup.promise;
    if (!stopping.signal.aborted)
      await sleep(recentEventCount < BUSY_BATCH_SIZE ? BATCH_DELAY_MS.quiet : BATCH_DELAY_MS.busy);
    // Events written from here on start another round.
    wakeup = Promise.withResolvers();
    // Another process may have dispatched what this one was notified of.
    recentEventCount = Math.max(await dispatchPendingEventsAndMails(), Math.floor(recentEventCount / 2));
  };
  const dispatching = repeatUntilAborted(runRound, stopping.signal);
  requestRound();
  return {
    stop: async () => {
      stopping.abort();
      clearInterval(pollTimer);
      setOutboxDispatcherWakeup(undefined);
      requestRound();
      await Promise.race([dispatching, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/** Repeats rounds until the signal aborts. After a round that fails it waits, longer each time. */
async function repeatUntilAborted(runRound: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (
    let retryDelay = POLL_INTERVAL_MS;
    !signal.aborted;
    retryDelay = Math.min(retryDelay * 2, MAX_RETRY_DELAY_MS)
  ) {
    try {
      while (!signal.aborted) await runRound().then(() => (retryDelay = POLL_INTERVAL_MS));
    } catch (error) {
      log.warn({ reason: describeErrorForLog(error) }, "outbox events can't be dispatched yet");
      await sleep(retryDelay, undefined, { ref: false, signal }).catch(() => {});
    }
  }
}

/**
 * Dispatches all pending events and queues all due mails. An event that fails doesn't block the others: it is retried
 * with growing delays.
 * @returns how many events were tried
 * @throws the database's error when it is unavailable
 */
export async function dispatchPendingEventsAndMails(): Promise<number> {
  const pending = await detectDueOutboxEventsAndMails();
  let triedCount = 0;
  if (pending?.events)
    for (
      let batchSize = MAX_OUTBOX_EVENTS_PER_BATCH;
      batchSize === MAX_OUTBOX_EVENTS_PER_BATCH;
      triedCount += batchSize
    )
      batchSize = await dispatchOutboxBatch().catch(dispatchOneByOne);
  if (pending?.mails) await queueNotificationMails();
  return triedCount;
}

/** @returns how many events were tried */
async function dispatchOneByOne(): Promise<number> {
  const pending = await listDueOutboxEventIds(MAX_OUTBOX_EVENTS_PER_BATCH);
  for (const { id } of pending)
    await dispatchOutboxBatch(id).catch((error: unknown) => postponeEvent(id, error));
  return pending.length;
}

/** Postpones by a second at first, and by an hour in the end. */
async function postponeEvent(id: bigint, error: unknown): Promise<void> {
  const [event] = await sql.$queryRaw<{ kind: string; failures: number }[]>`
    update outbox_events set failures = failures + 1,
      due_at = now() + make_interval(secs => least(3600, power(2, least(failures, 20))))
    where id = ${id}::bigint returning kind, failures`;
  log.warn({ ...event, reason: describeErrorForLog(error) }, "an outbox event can't be dispatched yet");
}
