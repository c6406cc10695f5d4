import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { EnvironmentVariablesSchema } from "#lib/env.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { buildNodeMemoryOptionsAndEnv } from "#lib/server/memory-limit.ts";

/** A running service: `node lib/server/start.ts` in a process of its own. */
export type RunningProcess = {
  /** The address to connect to; in production mode BASE_URL may differ. */
  url: string;
  port: number;
  dataDir: string;
  /** Returns the output so far. */
  output(): string;
  pid: number;
  /** Sends a signal (SIGTERM by default) and waits for the process to end. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Kills the process group, like a crash, and waits for its end. Needs `apart`. */
  crash(): Promise<void>;
};

/**
 * `apart`: starts the service as the leader of a process group, which `crash` needs. `heap`: "product" has the limits
 * that the service sets itself, for measurements; "roomy", the default, needs a quarter less processor time from its
 * start to its first pages, since V8 otherwise collects a dozen times while the heap grows.
 */
export type StartServiceOptions = { apart?: boolean; heap?: "roomy" | "product" };

export type EnvironmentSettings = Record<string, string>;

const START_TIMEOUT_MS = 150_000;
/** Longer than the service itself takes at most: it gives up on what doesn't end after 30 seconds. */
const STOP_TIMEOUT_MS = 60_000;

/** Megabytes of a "roomy" heap, and V8's options with which it has its size from the start. */
const ROOMY_HEAP = {
  oldMb: 512,
  youngMb: 16,
  options: ["--initial-heap-size=384", "--min-semi-space-size=16"],
};

/** Starts the service and waits until it is ready. @throws Error with its output when it doesn't become ready */
export async function startProcess(
  settings: EnvironmentSettings,
  { apart = false, heap = "roomy" }: StartServiceOptions = {},
): Promise<RunningProcess> {
  const dataDir = settings.HEED_DATA_DIR ?? fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const port = settings.PORT ?? "0";
  const { options, variables } = buildHeapSettings(settings, heap);
  const child = spawn(process.execPath, [...options, path.join(PROJECT_ROOT, "lib/server/start.ts")], {
    // Not the root folder: the service must work from any folder.
    cwd: os.tmpdir(),
    env: buildEnvironment({
      HOST: "127.0.0.1",
      // The lowest cost that the service accepts in production mode.
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
  let isEnding = false;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    isEnding = true;
    child.kill(signal);
    const giveUp = setTimeout(endWithUs, STOP_TIMEOUT_MS);
    const code = await ended;
    clearTimeout(giveUp);
    process.off("exit", endWithUs);
    return code;
  };
  await ready.catch(async (error) => {
    await stop("SIGKILL");
    throw error;
  });
  void ended.then((code) => {
    if (!isEnding) console.error(`A service ended by itself with code ${code}: ${output.slice(-3000)}`);
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
      isEnding = true;
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
      process.off("exit", endWithUs);
    },
  };
}

/** Options and variables of a process; with a limit set, it doesn't replace itself. */
function buildHeapSettings({ HEAP_MB }: EnvironmentSettings, heap: "roomy" | "product") {
  if (heap === "product" || HEAP_MB)
    return buildNodeMemoryOptionsAndEnv(
      Number(HEAP_MB ?? EnvironmentVariablesSchema.shape.HEAP_MB.parse(undefined)),
    );
  const { options, variables } = buildNodeMemoryOptionsAndEnv(ROOMY_HEAP.oldMb, ROOMY_HEAP.youngMb);
  return { options: [...options, ...ROOMY_HEAP.options], variables };
}

/**
 * Builds the environment of a service: this process's environment without variables that configure a service or reveal
 * a test, plus the settings. `DIRECT_API` is passed on, so that a whole run of tests can turn the direct API path off.
 */
export function buildEnvironment(settings: EnvironmentSettings): NodeJS.ProcessEnv {
  const named = new Set([
    ...Object.keys(EnvironmentVariablesSchema.shape),
    "NODE_ENV",
    "TEST",
    "NODE_OPTIONS",
  ]);
  named.delete("DIRECT_API");
  const inherited = Object.entries(process.env).filter(
    ([name]) => !named.has(name) && !name.startsWith("VITEST"),
  );
  return { ...Object.fromEntries(inherited), ...RECORDING_VARIABLES, ...settings } as NodeJS.ProcessEnv;
}

/** In a whole test run, services and commands write down which statements they send. */
export const RECORDING_VARIABLES = process.env.TEST_STATEMENTS_FOLDER && {
  TEST_STATEMENTS_FOLDER: process.env.TEST_STATEMENTS_FOLDER,
  NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, "record-statements.ts"))}`,
};

/** Each port that `findFreePort` may return is reserved by listening on the port this much below it. */
const RESERVATION_DISTANCE = 10_000;

/**
 * Finds a port that is free, below the range from which the system assigns ports to outgoing connections, and reserves
 * it until this process ends: seconds may pass before a service listens on it, also between its end and its next start,
 * and other processes look for ports meanwhile.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    // From 20100 on: a test needs port 10080, which would be reserved.
    const port = randomInt(20_100, 30_000);
    const reservation = await listenOrUndefined(port - RESERVATION_DISTANCE);
    const probe = reservation && (await listenOrUndefined(port));
    if (probe) {
      await new Promise((resolve) => probe.close(resolve));
      return port;
    }
    reservation?.close();
  }
}

/** Listens on a port without keeping this process alive. @returns undefined when the port is taken */
const listenOrUndefined = (port: number): Promise<net.Server | undefined> =>
  new Promise((resolve) => {
    const server = net.createServer().unref();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
