/**
 * Streams end before the server does, or it would wait for them. The bundler and the start command load modules of
 * their own, so what is open is known to the whole process.
 */

type StreamRegistry = { ended: boolean; open: Set<() => void> };

const registry = ((globalThis as unknown as { heedStreams?: StreamRegistry }).heedStreams ??= {
  ended: false,
  open: new Set(),
});

/** Has `end` called when the service stops. @returns a function that takes it back */
export function registerShutdownHandler(end: () => void): () => void {
  registry.open.add(end);
  return () => void registry.open.delete(end);
}

/** Ends every open stream of this process; no new one is opened afterwards. */
export function shutDownStreams(): void {
  registry.ended = true;
  for (const end of registry.open) end();
  registry.open.clear();
}

export const areStreamsShutDown = (): boolean => registry.ended;
