import { setTimeout as sleep } from "node:timers/promises";

/** Minimum uptime before a restart, so that repeated failures don't keep the machine busy. */
const MIN_UPTIME_MS = 10_000;

const RESTART_FLAG = "--restarted";

/** Returns whether this process replaced one that failed. */
export const isRestartedAfterFailure = (): boolean => process.argv.includes(RESTART_FLAG);

type RestartOptions = { folder: string; environment: NodeJS.ProcessEnv };

/**
 * Replaces this process with a new start of the program, with the same id, output, settings and port. Call it when
 * everything has been shut down. Returns where the system doesn't support it, and when it failed.
 */
export async function restartProcess({ folder, environment }: RestartOptions): Promise<void> {
  await sleep(Math.max(0, MIN_UPTIME_MS - process.uptime() * 1000));
  if (!process.execve) return;
  process.chdir(folder);
  // Releases locks and marks as a normal exit does.
  process.emit("exit", 1);
  const { PORT } = process.env;
  const args = [
    ...process.execArgv,
    ...process.argv.slice(1).filter((argument) => argument !== RESTART_FLAG),
    RESTART_FLAG,
  ];
  process.execve(process.execPath, [process.execPath, ...args], { ...environment, ...(PORT && { PORT }) });
}
