import { setTimeout as sleep } from "node:timers/promises";

export type StopHook = () => void | Promise<void>;

/** What hasn't ended by then, such as a connection to a database that is gone, is left behind. */
const LONGEST_STOP_MS = 30_000;

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
  let since = 0;
  const stop = async (signal: NodeJS.Signals) => {
    if (since) return void leaveAtOnce(since);
    since = Date.now();
    log(`Stopping (${signal}).`);
    await runHooks(beforeStop, log);
    const inOrder = await endInOrder(hooks, log);
    if (!inOrder) log("Not everything has ended within half a minute; leaving it behind.");
    process.exit(inOrder ? 0 : 1);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => since > 0;
}

/** As on a signal, without the end of the process. @returns whether everything ended within half a minute */
export async function endInOrder(hooks: StopHook[], log: (line: string) => void): Promise<boolean> {
  const late = sleep(LONGEST_STOP_MS, "late", { ref: false });
  return (await Promise.race([runHooks(hooks, log), late])) !== "late";
}

/** npm passes on the Ctrl+C that the terminal has sent us as well; those two count as one. */
function leaveAtOnce(since: number): void {
  if (Date.now() - since > 1000) process.exit(1);
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
