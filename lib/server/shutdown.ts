import { setTimeout as sleep } from "node:timers/promises";

export type StopHook = () => void | Promise<void>;

/** The time after which hooks that haven't ended are abandoned, such as one that waits for an unreachable database. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * Shuts the process down on SIGINT or SIGTERM: runs the hooks one after the other and exits with 0, or with 1 when
 * they take longer than 30 seconds. Hooks may be added while the process runs. A second signal exits at once.
 * @param beforeStop runs first, while requests are still served, and doesn't count toward the 30 seconds
 * @returns a function that says whether the shutdown has begun
 */
export function stopOnSignal(
  hooks: StopHook[],
  log: (line: string) => void,
  beforeStop: StopHook[] = [],
): () => boolean {
  let startedAt = 0;
  const stop = async (signal: NodeJS.Signals) => {
    if (startedAt) return void exitOnSecondSignal(startedAt);
    startedAt = Date.now();
    log(`Stopping (${signal}).`);
    await runStopHooks(beforeStop, log);
    const isComplete = await runStopHooksWithTimeout(hooks, log);
    if (!isComplete) log("Not everything has ended within half a minute; leaving it behind.");
    process.exit(isComplete ? 0 : 1);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => startedAt > 0;
}

/**
 * Runs the hooks as on a signal, without exiting.
 * @returns whether all of them ended within 30 seconds
 */
export async function runStopHooksWithTimeout(
  hooks: StopHook[],
  log: (line: string) => void,
): Promise<boolean> {
  const timeout = sleep(STOP_TIMEOUT_MS, "late", { ref: false });
  return (await Promise.race([runStopHooks(hooks, log), timeout])) !== "late";
}

/**
 * Exits at once on a second signal. npm forwards the Ctrl+C that the terminal has already sent to this process: those
 * two count as one.
 */
function exitOnSecondSignal(startedAt: number): void {
  if (Date.now() - startedAt > 1000) process.exit(1);
}

/** Runs the hooks in order; a failure is logged and doesn't keep the others from running. */
export async function runStopHooks(hooks: StopHook[], log: (line: string) => void): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
    }
  }
}
