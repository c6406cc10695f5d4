import type { ApiRequestBodyStream, RequestBodyChunkReader } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";

type BodyLimits = { maxBytes: number; stallMs: number; totalMs: number };

/**
 * Reads a request body with limits on its size, on the wait for the next byte and on the total time. What is left of a
 * refused one is the server's to discard (lib/server/unread-body.ts).
 */
export class LimitedRequestBodyReader {
  readonly #reader: RequestBodyChunkReader;
  readonly #limits: BodyLimits;

  constructor(body: ApiRequestBodyStream, limits: BodyLimits) {
    this.#reader = body.getReader();
    this.#limits = limits;
  }

  /**
   * Reads the body in chunks.
   * @throws AppError VALIDATION_ERROR when the client stalls or disconnects, PAYLOAD_TOO_LARGE
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const deadline = Date.now() + this.#limits.totalMs;
    let bytes = 0;
    for (;;) {
      const chunk = await this.#readChunk(deadline);
      if (!chunk) return;
      bytes += chunk.byteLength;
      if (bytes > this.#limits.maxBytes) throw createBodyTooLargeError();
      yield chunk;
    }
  }

  async #readChunk(deadline: number): Promise<Uint8Array | undefined> {
    const waitMs = Math.min(this.#limits.stallMs, deadline - Date.now());
    try {
      return (await withTimeout(waitMs, this.#reader.read())).value;
    } catch (error) {
      log.debug({ stalled: error instanceof StallError }, "upload cut short");
      throw createUploadInterruptedError(error instanceof StallError);
    }
  }
}

class StallError extends Error {}

async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StallError()), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export const createBodyTooLargeError = (): AppError => new AppError("PAYLOAD_TOO_LARGE", "uploadTooLarge");

const createUploadInterruptedError = (stalled: boolean): AppError =>
  new AppError("VALIDATION_ERROR", stalled ? "uploadTooSlow" : "uploadInterrupted");
