import { type Lane, LaneQueue } from "#lib/fair-queue.ts";
import { AppError } from "#lib/operation/errors.ts";

/** A file's place in the queue, held in memory only until the file has been inspected. */
export type FileInspectionPlace = {
  /** That of the signed-in sender, or of their address. */
  lane: Lane;
  /** How long, in milliseconds, the files of one request may still wait in total. Waiting reduces it. */
  waitBudget: { leftMs: number };
  /** The size of the file in bytes: small ones come first. */
  size: number;
};

/** The most files that may wait: in one lane, and in all of known senders or of others. */
const MAX_WAITING = { perLane: 20, total: 200 };
/** The longest total wait of one request; proxies wait longer for a response (60 s by default). */
const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 20;

type WaitingInspection = { start: () => void; refuse: () => void };

/**
 * A queue in which files wait for inspection, which handles one at a time. Senders take turns, whatever event they send
 * to, so that somebody who sends many files delays only themselves. A request has one file in the queue at a time, so
 * that the requests of one sender take turns, too.
 */
export class FileInspectionQueue {
  readonly #waiting: LaneQueue<WaitingInspection>;
  #isRunning = false;

  constructor(max = MAX_WAITING) {
    this.#waiting = new LaneQueue(max);
  }

  /**
   * Runs the work when it is the sender's turn.
   * @throws AppError SERVICE_UNAVAILABLE when too many files are waiting, or the request has waited too long
   */
  async run<Result>(place: FileInspectionPlace, work: () => Promise<Result>): Promise<Result> {
    if (this.#isRunning) await this.#waitForTurn(place);
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      const next = this.#waiting.next();
      this.#isRunning = next !== undefined;
      next?.start();
    }
  }

  async #waitForTurn({ lane, waitBudget, size }: FileInspectionPlace): Promise<void> {
    const since = Date.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { start: resolve, refuse: () => reject(createFileInspectionBusyError()) };
    const timer = setTimeout(
      () => {
        if (this.#waiting.remove(lane, waiting)) waiting.refuse();
      },
      Math.max(0, waitBudget.leftMs),
    );
    this.#waiting.add(lane, waiting, size)?.refuse();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      waitBudget.leftMs -= Date.now() - since;
    }
  }
}

/** Creates the total waiting time of one request. */
export const createWaitBudget = (): FileInspectionPlace["waitBudget"] => ({ leftMs: MAX_WAIT_MS });

export const createFileInspectionBusyError = (): AppError =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "inspectionBusy",
    { seconds: RETRY_AFTER_SECONDS },
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
