/**
 * Whether this process has been told to stop. The bundler and the start command load separate copies of this module,
 * so the state lives on `globalThis`.
 */
const state = ((globalThis as unknown as { heedShutdown?: { begun: boolean } }).heedShutdown ??= {
  begun: false,
});

/** Marks the shutdown as begun: readiness returns 503 from now on, while requests are still served. */
export function beginShutdown(): void {
  state.begun = true;
}

export const isShuttingDown = (): boolean => state.begun;
