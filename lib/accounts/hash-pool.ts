import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { FairQueue, type Lane } from "#lib/fair-queue.ts";
import type { HashingTask, MessageFromHashWorker } from "#lib/accounts/hash-worker.ts";
import { env } from "#lib/env.ts";
import { processWide } from "#lib/process-wide.ts";
import { AppError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";

/**
 * Worker threads that hash passwords, and the queue in front of them (docs/decisions/030). Lanes take turns, so a
 * client that sends many passwords waits behind its own.
 */

export const createPasswordHashingLaneForDevice = (deviceId: string): Lane => ({
  name: `device ${deviceId}`,
  known: true,
});
/** The lane for commands of the operator. */
export const COMMAND_PASSWORD_HASHING_LANE: Lane = { name: "command", known: true };

/** One worker fewer than there are cores, so that one core serves requests while passwords are hashed. */
const MAX_WORKERS = Math.max(1, Math.min(4, os.availableParallelism() - 1));

/** The longest wait, in milliseconds. Development machines face no attacks, and scripts there send many passwords. */
const getMaxWaitMs = () => (env().production ? 3000 : 300_000);

type Pool = { queue: FairQueue; idle: Worker[] };

const createPool = (): Pool => ({
  queue: new FairQueue({
    running: { total: MAX_WORKERS, perLane: MAX_WORKERS },
    waiting: { total: 600, perLane: 60 },
    createBusyError: createTooManySignInsError,
  }),
  idle: [],
});

/**
 * Runs a task on a worker when it is the lane's turn.
 * @param task built when a worker is free, so that a rejected attempt costs no lookup
 * @throws AppError SERVICE_UNAVAILABLE with Retry-After where too many wait, or the wait exceeds a few seconds
 */
export function runPasswordHashingTask(
  lane: Lane,
  task: () => Promise<HashingTask>,
): Promise<string | boolean> {
  const pool = processWide("hash pool", createPool);
  return pool.queue.run({ lane, waitBudget: { leftMs: getMaxWaitMs() } }, async () => {
    const hashingTask = await task();
    const worker = pool.idle.pop() ?? startHashWorker(pool);
    const result = await runOnWorker(worker, hashingTask);
    pool.idle.push(worker);
    return result;
  });
}

function startHashWorker(pool: Pool): Worker {
  const file = path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "accounts", "hash-worker.ts");
  const worker = new Worker(file);
  worker.on("error", () => {
    pool.idle = pool.idle.filter((one) => one !== worker);
  });
  worker.once("message", ({ library }: MessageFromHashWorker) => {
    if (library === "bcryptjs") log.warn({}, "no native bcrypt for this system: sign-ins take longer");
  });
  return worker;
}

/**
 * Runs a task. An idle worker doesn't keep the process alive; a busy one does.
 * @throws Error when the task or the worker fails; the worker must not be used again
 */
async function runOnWorker(worker: Worker, task: HashingTask): Promise<string | boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<string | boolean>();
  const onMessage = ({ result, error }: MessageFromHashWorker) => {
    if (result !== undefined) resolve(result);
    else if (error !== undefined) reject(new Error("password hashing failed"));
  };
  const onExit = () => reject(new Error("the worker that hashes passwords has ended"));
  worker.ref();
  worker.on("message", onMessage).on("error", reject).on("exit", onExit);
  worker.postMessage(task);
  try {
    return await promise;
  } finally {
    worker.off("message", onMessage).off("error", reject).off("exit", onExit);
    worker.unref();
  }
}

function createTooManySignInsError(): AppError {
  findProcessMetrics()?.refusedSignIns.inc({ reason: "busy" });
  return new AppError("SERVICE_UNAVAILABLE", "signInsBusy", {}, { headers: { "Retry-After": "3" } });
}
