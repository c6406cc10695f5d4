import type { AskingBody, BodyChunks } from "#lib/operation/request.ts";
import { discardRest, LINGER, type Linger } from "#lib/files/upload/drain-body.ts";
import { AppError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";

type BodyLimits = {
  maxBytes: number;
  stallMs: number;
  totalMs: number;
  linger?: Linger;
};

/**
 * A request body, read with a limit on its bytes, on the wait for the next byte and on the whole time.
 * `refuse` ends the reading for good.
 */
export class BodyReader {
  readonly #reader: BodyChunks;
  readonly #limits: BodyLimits;
  #gone = false;
  #ended = false;

  constructor(body: AskingBody, limits: BodyLimits) {
    this.#reader = body.getReader();
    this.#limits = limits;
  }

  /** @throws AppError VALIDATION_ERROR when the sender stalls or is gone, PAYLOAD_TOO_LARGE. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const deadline = Date.now() + this.#limits.totalMs;
    let bytes = 0;
    for (;;) {
      const chunk = await this.#next(deadline);
      if (!chunk) return;
      bytes += chunk.byteLength;
      if (bytes > this.#limits.maxBytes) throw bodyTooLarge();
      yield chunk;
    }
  }

  /** Stops taking the body in, but for the rest that its sender has to get rid of before it reads the answer. */
  refuse(): void {
    if (this.#ended) return;
    if (this.#gone) void this.#reader.cancel().catch(() => {});
    else void discardRest(this.#reader, this.#limits.linger ?? LINGER);
  }

  async #next(deadline: number): Promise<Uint8Array | undefined> {
    const patience = Math.min(this.#limits.stallMs, deadline - Date.now());
    try {
      const { done, value } = await within(patience, this.#reader.read());
      this.#ended = done;
      return value;
    } catch (error) {
      this.#gone = true;
      log.debug({ stalled: error instanceof Stalled }, "upload cut short");
      throw interrupted(error instanceof Stalled);
    }
  }
}

class Stalled extends Error {}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const alarm = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Stalled()), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, alarm]);
  } finally {
    clearTimeout(timer);
  }
}

export const bodyTooLarge = (): AppError =>
  new AppError("PAYLOAD_TOO_LARGE", "The request is too large.", "Send fewer or smaller files.");

const interrupted = (stalled: boolean): AppError =>
  new AppError(
    "VALIDATION_ERROR",
    stalled ? "The upload took too long." : "The upload was cut off.",
    "Nothing was kept of it. Send it again.",
    // The rest of this body will not come, so the connection can't carry another request.
    { Connection: "close" },
  );
