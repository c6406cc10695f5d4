import cluster, { type Worker } from "node:cluster";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "#lib/env.ts";
import type { StopHook } from "./shutdown.ts";

/** What a serving process says to the one that started it. */
export type Word = { port: number } | { failed: string };

const MOST_BY_ITSELF = 4;
const AGAIN_MS = 1000;

/**
 * How many processes serve: HEED_PROCESSES, or by itself one for two cores, since the database works as much as the
 * service does (docs/performance.md).
 */
export function processesOf(
  { HEED_PROCESSES }: Pick<Env, "HEED_PROCESSES">,
  cores = os.availableParallelism(),
) {
  return HEED_PROCESSES || Math.min(MOST_BY_ITSELF, Math.max(1, Math.floor(cores / 2)));
}

type Surroundings = {
  onStop: StopHook[];
  beforeStop: StopHook[];
  /** How long each process goes on serving after the signal (SHUTDOWN_DELAY_SECONDS). */
  delayMs: number;
  log: (line: string) => void;
};

/**
 * Serves in so many processes on one port, and returns its number when all of them answer. One that dies is replaced.
 * Puts their end in front of the stop hooks.
 * @throws Error in plain words when the port can't be had or the service does not come up.
 */
export async function startProcesses(
  count: number,
  { onStop, beforeStop, delayMs, log }: Surroundings,
): Promise<number> {
  let stopping = false;
  const { PORT } = process.env;
  const startOne = () => startServing({ PORT });
  // The first process hands connections out in turn. Where each takes them itself, one may take all, and the others
  // have nothing to do (docs/scaling.md).
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, "serving-process.ts") });
  let ending: Promise<unknown> | undefined;
  const endAll = () => {
    stopping = true;
    ending ??= Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    return ending;
  };
  beforeStop.push(() => {
    void endAll();
    return sleep(delayMs);
  });
  onStop.unshift(async () => void (await endAll()));
  cluster.on("exit", (worker, code, signal) => {
    if (stopping || !served.has(worker.id)) return;
    log(`A process that served has ended (${signal ?? code}); another takes its place.`);
    void replace();
  });
  const replace = async () => {
    for (;;) {
      await sleep(AGAIN_MS, undefined, { ref: false });
      if (stopping) return;
      const failure = await startOne().then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure) return;
      if (!stopping) log(failure.message);
    }
  };
  // The first one finds out the port where any will do; those that ask for any one get the same.
  const port = await startOne();
  process.env.PORT = String(port);
  await Promise.all(Array.from({ length: count - 1 }, startOne));
  return port;
}

/** Those that have answered once. */
const served = new Set<number>();

/** @throws Error when it does not come up */
async function startServing(settings: Record<string, string | undefined>): Promise<number> {
  const worker = cluster.fork(settings);
  endWhatIsOnItsWay(worker);
  const word = await new Promise<Word>((resolve) => {
    worker.once("message", resolve);
    worker.once("exit", (code) => resolve({ failed: `A process ended with ${code} before it served.` }));
  });
  if ("failed" in word) throw new Error(word.failed);
  served.add(worker.id);
  return word.port;
}

/**
 * A connection that is handed to a process which dies before it has taken it would be answered by nobody, and its client
 * would wait until it gives up. So it is closed, like those that the process had; there is one at most. (Once taken, what
 * is left here is closed already, and closing it again does nothing.)
 */
function endWhatIsOnItsWay({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...what: unknown[]) => boolean;
  let handed: { close?: () => void } | undefined;
  child.send = (message: unknown, ...rest: unknown[]) => {
    if (rest[0]) handed = rest[0] as typeof handed;
    return send(message, ...rest);
  };
  child.once("exit", () => handed?.close?.());
}

function end(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once("exit", () => resolve());
    worker.process.kill("SIGTERM");
  });
}
