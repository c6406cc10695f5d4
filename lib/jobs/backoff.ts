import { setTimeout as sleep } from "node:timers/promises";

/** So many failures in a row may be those of single recipients; more are the server's. */
const TOLERATED_FAILURES = 3;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Pauses a queue whose tries all fail, so that a server that refuses everything isn't asked thousands of times: 5 s
 * after the third failure in a row, twice as long after each further one, a minute at the most. A success ends it.
 */
export class Backoff {
  #failures = 0;
  #resumesAt = 0;

  /** Waits until the pause is over. @throws Error when the worker stops meanwhile */
  async wait(stopping: AbortSignal): Promise<void> {
    for (let left = this.remainingMs(); left > 0; left = this.remainingMs())
      await sleep(left, undefined, { signal: stopping });
  }

  succeed(): void {
    this.#failures = 0;
    this.#resumesAt = 0;
  }

  fail(): void {
    this.#failures += 1;
    const pause = FIRST_PAUSE_MS * 2 ** (this.#failures - TOLERATED_FAILURES);
    if (this.#failures >= TOLERATED_FAILURES)
      this.#resumesAt = Date.now() + Math.min(pause, LONGEST_PAUSE_MS);
  }

  /** How long the pause still lasts, in ms; 0 when there is none. */
  remainingMs(): number {
    return Math.max(0, this.#resumesAt - Date.now());
  }
}
