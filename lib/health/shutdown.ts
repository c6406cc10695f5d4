/**
 * Whether this process has been told to stop. The bundler and the start command load modules of their own, so it is
 * known to the whole process.
 */
const state = ((globalThis as unknown as { heedShutdown?: { begun: boolean } }).heedShutdown ??= {
  begun: false,
});

/** From now on readiness is 503, while requests are still served. */
export function beginShutdown(): void {
  state.begun = true;
}

export const isShuttingDown = (): boolean => state.begun;
