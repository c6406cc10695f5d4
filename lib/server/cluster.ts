import cluster, { type Worker } from "node:cluster";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setListeningPort, type Env } from "#lib/env.ts";
import type { StopHook } from "./shutdown.ts";

/** A message from a serving process to the process that started it. */
export type ServingProcessStartResult = { port: number } | { failed: string };

const MAX_DEFAULT_PROCESSES = 4;
const RESTART_DELAY_MS = 1000;

/**
 * Returns the number of serving processes: HEED_PROCESSES, or one for every two cores by default, since the database
 * uses as much processor time as the service (docs/performance.md).
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
  /** How long each process keeps serving after the stop signal (SHUTDOWN_DELAY_SECONDS). */
  delayMs: number;
  log: (line: string) => void;
};

/**
 * Serves on one port with the given number of processes, and returns the port when all of them respond. Replaces a
 * process that dies. Registers a stop hook that ends them before the other hooks run.
 * @throws Error in plain words when the port is unavailable or the service doesn't start
 */
export async function startServingProcesses(
  count: number,
  { onStop, beforeStop, delayMs, log }: ClusterOptions,
): Promise<number> {
  const { PORT } = process.env;
  const startOne = () => startServingProcess({ PORT });
  // The primary process distributes connections round robin. If the processes accepted connections themselves, one
  // might accept them all and leave the others idle (docs/scaling.md).
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, "serving-process.ts") });
  const stopping = new AbortController();
  const stopAll = createStopAll(stopping);
  beforeStop.push(() => {
    void stopAll();
    return sleep(delayMs);
  });
  onStop.unshift(async () => void (await stopAll()));
  replaceDeadWorkers({ startOne, stopping: stopping.signal, log });
  // If any port will do, the first process determines it, and the others then use the same one.
  const port = await startOne();
  setListeningPort(port);
  await Promise.all(Array.from({ length: count - 1 }, startOne));
  return port;
}

/** Returns a function that stops all workers; every call waits for the same stop. */
function createStopAll(stopping: AbortController): () => Promise<unknown> {
  let allStopped: Promise<unknown> | undefined;
  return () => {
    stopping.abort();
    allStopped ??= Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker)),
    );
    return allStopped;
  };
}

type WorkerReplacement = {
  startOne: () => Promise<number>;
  stopping: AbortSignal;
  log: (line: string) => void;
};

function replaceDeadWorkers({ startOne, stopping, log }: WorkerReplacement): void {
  const replaceWorker = async () => {
    for (;;) {
      await sleep(RESTART_DELAY_MS, undefined, { ref: false });
      if (stopping.aborted) return;
      const failure = await startOne().then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure) return;
      if (!stopping.aborted) log(failure.message);
    }
  };
  cluster.on("exit", (worker, code, signal) => {
    if (stopping.aborted || !readyWorkerIds.has(worker.id)) return;
    log(`A process that served has ended (${signal ?? code}); another takes its place.`);
    void replaceWorker();
  });
}

/** Workers that have responded once. */
const readyWorkerIds = new Set<number>();

/** Starts a serving process. @throws Error when the process doesn't start */
async function startServingProcess(settings: Record<string, string | undefined>): Promise<number> {
  const worker = cluster.fork(settings);
  closeHandedConnection(worker);
  const message = await new Promise<ServingProcessStartResult>((resolve) => {
    worker.once("message", resolve);
    worker.once("exit", (code) => resolve({ failed: `A process ended with ${code} before it served.` }));
  });
  if ("failed" in message) throw new Error(message.failed);
  readyWorkerIds.add(worker.id);
  return message.port;
}

/**
 * Closes a connection that is handed to a process which dies before accepting it: nobody would respond, and the
 * client would wait for its time-out. It is closed as the process's other connections were; there is at most one. If
 * the process did accept it, the handle here is already closed, and closing it again has no effect.
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
