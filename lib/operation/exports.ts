/** Files that are made for one person, while they take them. */

/**
 * Piece after piece, each made when the one before is taken: memory stays flat, and a client that goes away stops the
 * work. The first is made before this returns, so that a database that can't be reached is an error and no torn file.
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

/** An answer that a browser saves as a file, and never shows as a page. */
export const downloadResponse = (filename: string, type: string, body: BodyInit): Response =>
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
