import { processWide } from "#lib/process-wide.ts";

/** Ends open streams before the server stops, which would otherwise wait for them. */

type StreamRegistry = { ended: boolean; open: Set<() => void> };

const registry = processWide("open streams", (): StreamRegistry => ({ ended: false, open: new Set() }));

/** Registers `end` to be called when the service stops. @returns a function that unregisters it */
export function registerStreamShutdown(end: () => void): () => void {
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
