import { setTimeout as sleep } from "node:timers/promises";

export type StopHook = () => void | Promise<void>;

/** What hasn't ended by then, such as a connection to a database that is gone, is left behind. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * Ends the process in good order on SIGINT or SIGTERM: the hooks run one after the other, then it exits with 0; with 1
 * when they take longer than half a minute. Hooks may be added as long as the process runs. A second signal ends it at
 * once.
 * @param beforeStop runs first, while requests are still served, and doesn't count towards the half minute
 * @returns a function that tells whether the end has begun.
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
    await runHooks(beforeStop, log);
    const isComplete = await runHooksWithTimeout(hooks, log);
    if (!isComplete) log("Not everything has ended within half a minute; leaving it behind.");
    process.exit(isComplete ? 0 : 1);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => startedAt > 0;
}

/** As on a signal, without the end of the process. @returns whether everything ended within half a minute */
export async function runHooksWithTimeout(hooks: StopHook[], log: (line: string) => void): Promise<boolean> {
  const timeout = sleep(STOP_TIMEOUT_MS, "late", { ref: false });
  return (await Promise.race([runHooks(hooks, log), timeout])) !== "late";
}

/** npm passes on the Ctrl+C that the terminal has sent us as well; those two count as one. */
function exitOnSecondSignal(startedAt: number): void {
  if (Date.now() - startedAt > 1000) process.exit(1);
}

/** Runs every hook in order; one that fails is told of and does not keep the others from running. */
export async function runHooks(hooks: StopHook[], log: (line: string) => void): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
    }
  }
}
