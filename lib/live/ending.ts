/**
 * Ends open streams before the server stops, which would otherwise wait for them. The bundler and the start command
 * load separate copies of this module, so the registry is global to the process.
 */

type StreamRegistry = { ended: boolean; open: Set<() => void> };

const registry = ((globalThis as unknown as { heedStreams?: StreamRegistry }).heedStreams ??= {
  ended: false,
  open: new Set(),
});

/** Registers `end` to be called when the service stops. @returns a function that unregisters it */
export function registerShutdownHandler(end: () => void): () => void {
  registry.open.add(end);
  return () => void registry.open.delete(end);
}

/** Ends every open stream of this process; no new one may open afterwards. */
export function shutDownStreams(): void {
  registry.ended = true;
  for (const end of registry.open) end();
  registry.open.clear();
}

export const areStreamsShutDown = (): boolean => registry.ended;
