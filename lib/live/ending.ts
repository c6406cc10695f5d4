/**
 * Streams end before the server does, or it would wait for them. The bundler and the start command load modules of
 * their own, so what is open is known to the whole process.
 */

type Streams = { ended: boolean; open: Set<() => void> };

const streams = ((globalThis as unknown as { heedStreams?: Streams }).heedStreams ??= {
  ended: false,
  open: new Set(),
});

/** Has `end` called when the service stops. @returns a function that takes it back */
export function endWithService(end: () => void): () => void {
  streams.open.add(end);
  return () => void streams.open.delete(end);
}

/** Ends every open stream of this process; no new one is opened afterwards. */
export function endStreams(): void {
  streams.ended = true;
  for (const end of streams.open) end();
  streams.open.clear();
}

export const streamsHaveEnded = (): boolean => streams.ended;
