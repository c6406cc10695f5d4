import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { EnvSchema } from "#lib/env.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { computeMemoryLimits } from "#lib/server/memory-limit.ts";

/** The service as it is run: `node lib/server/start.ts` in a process of its own. */
export type RunningProcess = {
  /** Where to connect to; in production mode BASE_URL may say something else. */
  url: string;
  port: number;
  dataDir: string;
  /** Everything that it has written so far. */
  output(): string;
  pid: number;
  /** Sends a signal (SIGTERM when not given) and waits for the end. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Kills it with every process of its group, as a crash does, and waits for the end; for what was started `apart`. */
  crash(): Promise<void>;
};

/** `apart`: as the leader of a group of processes, which `crash` needs. */
export type StartOptions = { apart?: boolean };

export type EnvironmentSettings = Record<string, string>;

const START_TIMEOUT_MS = 90_000;

/** Starts the service and waits until it says that it is ready. @throws Error with its output when it is not. */
export async function startProcess(
  settings: EnvironmentSettings,
  { apart = false }: StartOptions = {},
): Promise<RunningProcess> {
  const dataDir = settings.HEED_DATA_DIR ?? fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const port = settings.PORT ?? "0";
  // Given here, the limits need no second start of the program.
  const { options, variables } = computeMemoryLimits(Number(settings.HEAP_MB ?? 320));
  const child = spawn(process.execPath, [...options, path.join(PROJECT_ROOT, "lib/server/start.ts")], {
    // Not the root: what the service needs, it must find from anywhere.
    cwd: os.tmpdir(),
    env: buildEnvironment({
      HOST: "127.0.0.1",
      // In production mode the service refuses a low one.
      ...(!settings.BASE_URL && { PASSWORD_COST: "4" }),
      ...variables,
      ...settings,
      PORT: port,
      HEED_DATA_DIR: dataDir,
    }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: apart,
  });
  let output = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (/Heed is ready on \S+\n/.test(output)) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", reject);
    void ended.then((code) => reject(new Error(`The service ended with code ${code}:\n${output}`)));
    setTimeout(() => reject(new Error(`The service is not ready:\n${output}`)), START_TIMEOUT_MS).unref();
  });
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    const giveUp = setTimeout(endWithUs, 20_000);
    const code = await ended;
    clearTimeout(giveUp);
    process.off("exit", endWithUs);
    return code;
  };
  await ready.catch(async (error) => {
    await stop("SIGKILL");
    throw error;
  });
  const bound = Number(port) || Number(/Heed is ready on http:\/\/localhost:(\d+)/.exec(output)?.[1]);
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    dataDir,
    output: () => output,
    pid: child.pid ?? 0,
    stop,
    crash: async () => {
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
      process.off("exit", endWithUs);
    },
  };
}

/** Our environment without what would configure a service or tell it that it is being tested, and the settings. */
export function buildEnvironment(settings: EnvironmentSettings): NodeJS.ProcessEnv {
  const named = new Set([...Object.keys(EnvSchema.shape), "NODE_ENV", "TEST", "NODE_OPTIONS"]);
  const inherited = Object.entries(process.env).filter(
    ([name]) => !named.has(name) && !name.startsWith("VITEST"),
  );
  return { ...Object.fromEntries(inherited), ...settings } as NodeJS.ProcessEnv;
}

/** A port that nobody listens on at this moment, below those that the system gives to whoever connects somewhere. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (await isPortFree(port)) return port;
  }
}

const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.on("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
