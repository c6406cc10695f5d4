export type StopHook = () => void | Promise<void>;

/**
 * Ends the process in good order on SIGINT or SIGTERM: the hooks run one after the other, then it exits with 0.
 * Hooks may be added as long as the process runs. A second signal ends it at once.
 * @returns a function that tells whether the end has begun.
 */
export function stopOnSignal(hooks: StopHook[], log: (line: string) => void): () => boolean {
  let since = 0;
  const stop = async (signal: NodeJS.Signals) => {
    if (since) return void leaveAtOnce(since);
    since = Date.now();
    log(`Stopping (${signal}).`);
    await runHooks(hooks, log);
    process.exit(0);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => since > 0;
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
