import { setTimeout as sleep } from "node:timers/promises";

/** So many failures in a row pause the queue. */
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

/**
 * Pauses a queue whose tries all fail, so that a server that refuses everything isn't asked thousands of times: 5 s
 * after the third failure in a row, twice as long after each further one, a minute at the most. A success ends it.
 * A recipient that is refused again and again counts once: three different ones make it the server's failure.
 */
export class Backoff {
  #failures = 0;
  #resumesAt = 0;
  readonly #refusedRecipients = new Set<string>();

  /** Waits until the pause is over. @throws Error when the worker stops meanwhile */
  async wait(stopping: AbortSignal): Promise<void> {
    for (let left = this.remainingMs(); left > 0; left = this.remainingMs())
      await sleep(left, undefined, { signal: stopping });
  }

  succeed(): void {
    this.#failures = 0;
    this.#resumesAt = 0;
    this.#refusedRecipients.clear();
  }

  /**
   * @param recipient whose mail alone was refused; none where the server failed
   * @returns how many failures in a row count
   */
  fail(recipient?: string): number {
    if (recipient === undefined || this.isServerFailing || this.#addRecipient(recipient))
      this.#countFailure();
    return this.#failures;
  }

  /** Are the failures in a row so many that they can't be those of single recipients? */
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
    const pause = FIRST_PAUSE_MS * 2 ** (this.#failures - FAILURES_BEFORE_PAUSE);
    if (this.isServerFailing) this.#resumesAt = Date.now() + Math.min(pause, MAX_PAUSE_MS);
  }

  /** How long the pause still lasts, in ms; 0 when there is none. */
  remainingMs(): number {
    return Math.max(0, this.#resumesAt - Date.now());
  }
}
