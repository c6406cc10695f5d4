import type { RequestBodyChunkReader } from "#lib/operation/request.ts";

/** Limits on reading a rejected body: bytes, and time in milliseconds. */
export type RejectedBodyDrainLimits = { bytes: number; ms: number };

export const DEFAULT_REJECTED_BODY_DRAIN_LIMITS: RejectedBodyDrainLimits = {
  bytes: 32 * 1024 * 1024,
  ms: 10_000,
};

/**
 * Reads and discards a limited rest of a rejected body. Closing the connection at once would lose the response, since
 * most clients read it only after sending everything. Beyond the limits, the connection is closed.
 */
export async function drainRejectedBody(
  reader: RequestBodyChunkReader,
  { bytes, ms }: RejectedBodyDrainLimits,
): Promise<void> {
  const cancelBody = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancelBody, ms);
  try {
    for (let left = bytes; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
  } catch {
    // The sender is gone.
  } finally {
    clearTimeout(timer);
    cancelBody();
  }
}
