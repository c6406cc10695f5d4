import { setTimeout as sleep } from "node:timers/promises";

/** This many failures in a row pause the queue. */
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

/**
 * Pauses a queue whose every attempt fails, so that a server that refuses everything isn't called thousands of times:
 * 5 s after the third failure in a row, and twice as long each time the first attempt after a pause fails, at most a
 * minute. A failure during a pause belongs to an attempt that began before it, and doesn't lengthen it. A success ends
 * the pause.
 * Repeated refusals of the same recipient count once; three different recipients count as a failure of the server.
 * Pauses don't follow the clock, which may be set back during one.
 */
export class ConsecutiveFailureBackoff {
  #failures = 0;
  #pauses = 0;
  #resumesAt = 0;
  readonly #refusedRecipients = new Set<string>();

  /** Waits until the pause is over. @throws Error when the worker stops in the meantime */
  async wait(stopping: AbortSignal): Promise<void> {
    for (let left = this.remainingMs(); left > 0; left = this.remainingMs())
      await sleep(left, undefined, { signal: stopping });
  }

  succeed(): void {
    this.#failures = 0;
    this.#pauses = 0;
    this.#resumesAt = 0;
    this.#refusedRecipients.clear();
  }

  /**
   * @param recipient whose mail alone was refused; undefined if the server failed
   * @returns the number of consecutive failures that count
   */
  fail(recipient?: string): number {
    if (recipient === undefined || this.isServerFailing || this.#addRecipient(recipient))
      this.#countFailure();
    return this.#failures;
  }

  /** Returns whether so many jobs failed in a row that the server must be at fault, not single recipients. */
  get isServerFailing(): boolean {
    return this.#failures >= FAILURES_BEFORE_PAUSE;
  }

  #addRecipient(recipient: string): boolean {
    if (this.#refusedRecipients.has(recipient)) return false;
    this.#refusedRecipients.add(recipient);
    return true;
  }

  #countFailure(): void {
    this.#failures += 1;
    if (!this.isServerFailing || this.remainingMs() > 0) return;
    this.#resumesAt = performance.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, MAX_PAUSE_MS);
    this.#pauses += 1;
  }

  /** Remaining pause in ms; 0 without one. */
  remainingMs(): number {
    return Math.max(0, this.#resumesAt - performance.now());
  }
}
