import { processWide } from "#lib/process-wide.ts";

/** Whether this process has been told to stop. */
const state = processWide("shutdown", () => ({ begun: false }));

/** Marks the shutdown as begun: readiness returns 503 from now on, while requests are still served. */
export function markShutdownBegun(): void {
  state.begun = true;
}

export const isShuttingDown = (): boolean => state.begun;
