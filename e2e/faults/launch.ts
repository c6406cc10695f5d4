import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { buildEnvironment, type EnvironmentSettings } from "#e2e/support/process.ts";

/** A started service, which may never become ready. */
export type LaunchedService = {
  pid: number;
  output(): string;
  isReady(): boolean;
  /** Resolves to the exit code when the service has ended. */
  ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Kills the service's process group, like a crash. */
  crash(): Promise<void>;
  /** Waits until the service is ready or has ended, for at most this time. @returns whether it is ready */
  ready(patienceMs?: number): Promise<boolean>;
};

export function launchService(settings: EnvironmentSettings): LaunchedService {
  const child = spawn(process.execPath, [path.join(PROJECT_ROOT, "lib/server/start.ts")], {
    cwd: os.tmpdir(),
    env: buildEnvironment({ HOST: "127.0.0.1", ...settings }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const pid = child.pid ?? 0;
  let output = "";
  let over = false;
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(() => {
    over = true;
    process.off("exit", endWithUs);
  });
  const isReady = () => /Heed is ready on \S+\n/.test(output);
  return {
    pid,
    output: () => output,
    isReady,
    ended,
    signal: (name) => void child.kill(name),
    crash: async () => {
      if (!over) process.kill(-pid, "SIGKILL");
      await ended;
    },
    ready: async (patienceMs = 60_000) => {
      for (const end = Date.now() + patienceMs; Date.now() < end && !over; await sleep(20))
        if (isReady()) return true;
      return isReady();
    },
  };
}
