import cluster, { type Worker } from "node:cluster";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "#lib/env.ts";
import type { StopHook } from "./shutdown.ts";

/** What a serving process says to the one that started it. */
export type ServingProcessMessage = { port: number } | { failed: string };

const MAX_DEFAULT_PROCESSES = 4;
const RESTART_DELAY_MS = 1000;

/**
 * How many processes serve: HEED_PROCESSES, or by itself one for two cores, since the database works as much as the
 * service does (docs/performance.md).
 */
export function chooseProcessCount(
  { HEED_PROCESSES }: Pick<Env, "HEED_PROCESSES">,
  cores = os.availableParallelism(),
) {
  return HEED_PROCESSES || Math.min(MAX_DEFAULT_PROCESSES, Math.max(1, Math.floor(cores / 2)));
}

type ClusterOptions = {
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
export async function startServingProcesses(
  count: number,
  { onStop, beforeStop, delayMs, log }: ClusterOptions,
): Promise<number> {
  let isStopping = false;
  const { PORT } = process.env;
  const startOne = () => startServingProcess({ PORT });
  // The first process hands connections out in turn. Where each takes them itself, one may take all, and the others
  // have nothing to do (docs/scaling.md).
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, "serving-process.ts") });
  let allStopped: Promise<unknown> | undefined;
  const stopAll = () => {
    isStopping = true;
    allStopped ??= Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker)),
    );
    return allStopped;
  };
  beforeStop.push(() => {
    void stopAll();
    return sleep(delayMs);
  });
  onStop.unshift(async () => void (await stopAll()));
  cluster.on("exit", (worker, code, signal) => {
    if (isStopping || !readyWorkerIds.has(worker.id)) return;
    log(`A process that served has ended (${signal ?? code}); another takes its place.`);
    void replaceWorker();
  });
  const replaceWorker = async () => {
    for (;;) {
      await sleep(RESTART_DELAY_MS, undefined, { ref: false });
      if (isStopping) return;
      const failure = await startOne().then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure) return;
      if (!isStopping) log(failure.message);
    }
  };
  // The first one finds out the port where any will do; those that ask for any one get the same.
  const port = await startOne();
  process.env.PORT = String(port);
  await Promise.all(Array.from({ length: count - 1 }, startOne));
  return port;
}

/** Those that have answered once. */
const readyWorkerIds = new Set<number>();

/** @throws Error when it does not come up */
async function startServingProcess(settings: Record<string, string | undefined>): Promise<number> {
  const worker = cluster.fork(settings);
  closeHandedConnection(worker);
  const message = await new Promise<ServingProcessMessage>((resolve) => {
    worker.once("message", resolve);
    worker.once("exit", (code) => resolve({ failed: `A process ended with ${code} before it served.` }));
  });
  if ("failed" in message) throw new Error(message.failed);
  readyWorkerIds.add(worker.id);
  return message.port;
}

/**
 * A connection that is handed to a process which dies before it has taken it would be answered by nobody, and its client
 * would wait until it gives up. So it is closed, like those that the process had; there is one at most. (Once taken, what
 * is left here is closed already, and closing it again does nothing.)
 */
function closeHandedConnection({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...what: unknown[]) => boolean;
  let handedConnection: { close?: () => void } | undefined;
  child.send = (message: unknown, ...rest: unknown[]) => {
    if (rest[0]) handedConnection = rest[0] as typeof handedConnection;
    return send(message, ...rest);
  };
  child.once("exit", () => handedConnection?.close?.());
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once("exit", () => resolve());
    worker.process.kill("SIGTERM");
  });
}
