/** Exports that are generated for one person while they download them. */

/**
 * Streams chunks, each generated once the previous one is consumed: memory use stays flat, and the work stops when
 * the client disconnects. The first chunk is generated before this returns, so an unreachable database causes an
 * error instead of a truncated file.
 */
export async function createTextStream(
  chunks: AsyncGenerator<string, void>,
): Promise<ReadableStream<Uint8Array>> {
  const firstChunk = await chunks.next();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(firstChunk.value ?? "")),
      pull: async (controller) => {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: async () => void (await chunks.return()),
    },
    { highWaterMark: 1 },
  );
}

const encoder = new TextEncoder();

/** Creates a response that browsers save as a file and never display as a page. */
export const createDownloadResponse = (filename: string, type: string, body: BodyInit): Response =>
  new Response(body, {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${filename}"`,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cache-Control": "private, no-store",
      Vary: "Cookie",
    },
  });
