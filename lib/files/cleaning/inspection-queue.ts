import { FairQueue, type QueuePlace } from "#lib/fair-queue.ts";
import { AppError } from "#lib/operation/errors.ts";

/**
 * A file's place in the queue; its weight is its size in bytes. A request has one file in the queue at a time, so that
 * the requests of one sender take turns, too.
 */
export type FileInspectionPlace = Required<Omit<QueuePlace, "signal">>;

/** The longest total wait of one request; proxies wait longer for a response (60 s by default). */
const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 20;

/** Creates the queue in which files wait for inspection, one at a time, whatever event they are sent to. */
export const createFileInspectionQueue = (): FairQueue =>
  new FairQueue({
    running: { total: 1, perLane: 1 },
    waiting: { total: 200, perLane: 20 },
    createBusyError: createFileInspectionBusyError,
  });

/** Creates the total waiting time of one request. */
export const createWaitBudget = (): FileInspectionPlace["waitBudget"] => ({ leftMs: MAX_WAIT_MS });

export const createFileInspectionBusyError = (): AppError =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "inspectionBusy",
    { seconds: RETRY_AFTER_SECONDS },
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
