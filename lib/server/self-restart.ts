import { setTimeout as sleep } from "node:timers/promises";

/** What breaks again and again does so this often at most, and doesn't keep the machine busy. */
const MIN_UPTIME_MS = 10_000;

const RESTART_FLAG = "--anew";

/** Whether this process was put in the place of one that broke. */
export const isRestartedProcess = (): boolean => process.argv.includes(RESTART_FLAG);

type RestartOptions = { folder: string; environment: NodeJS.ProcessEnv };

/**
 * Puts a new start of the program in the place of this process: same id, same output, same settings, and the port that
 * this one had. Call it when everything has ended. Returns where a system can't do that, and when it failed.
 */
export async function restartProcess({ folder, environment }: RestartOptions): Promise<void> {
  await sleep(Math.max(0, MIN_UPTIME_MS - process.uptime() * 1000));
  if (!process.execve) return;
  process.chdir(folder);
  // Locks and marks are given back as at any end.
  process.emit("exit", 1);
  const { PORT } = process.env;
  const args = [
    ...process.execArgv,
    ...process.argv.slice(1).filter((argument) => argument !== RESTART_FLAG),
    RESTART_FLAG,
  ];
  process.execve(process.execPath, [process.execPath, ...args], { ...environment, ...(PORT && { PORT }) });
}
