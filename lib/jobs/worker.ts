import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Logger,
  parseCronItems,
  run,
  type CronItem,
  type JobHelpers,
  type Runner,
  type RunnerOptions,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import pg from "pg";
import { reasonOf } from "#lib/files/failures.ts";
import { log } from "#lib/log.ts";
import { keepPresence } from "./presence.ts";
import { TASKS, type Attempt } from "./tasks.ts";

const CONCURRENCY = 2;
/** Deliveries to other people's servers have workers of their own: one that hangs keeps no mail waiting. */
const DELIVERING = 3;
const DELIVERIES = new Set(["webhook.deliver"]);
/** So many failures in a row to look for a job, and the worker starts anew. */
const MOST_FAILURES = 5;
/** How long `stop` waits for running jobs. What doesn't end in time is tried again by the next worker. */
const STOP_MS = 10_000;
const RESTART_MS = 5000;

const HOUR_MS = 3600_000;

/** When the sweeps run (minute, hour, day, month, weekday; UTC). One missed while stopped runs at the start. */
const CRON: CronItem[] = [
  { task: "sweepTemporary", match: "17 * * * *", options: { maxAttempts: 3, backfillPeriod: HOUR_MS } },
  { task: "sweepOrphans", match: "41 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  { task: "sweepRows", match: "23 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  { task: "sweepTold", match: "53 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  { task: "queueDigests", match: "*/5 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "escalateUnanswered", match: "*/5 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
];

export type Worker = {
  /** Takes no more jobs, waits up to ten seconds for those that run, and lets the database go. */
  stop(): Promise<void>;
};

/**
 * Works off the queue in this process: mails, removal of files, sweeps. A failed job is tried again by
 * the library, after 2 s at first and up to six hours in the end. When the database goes away for longer
 * than the library bears, the worker starts anew until it is stopped.
 * @param url connection string of the database that `enqueue` writes to
 * @throws Error when the database can't be reached at the start
 */
export async function startWorker(url: string): Promise<Worker> {
  let stopping = false;
  let session = await open(url);

  const watch = async () => {
    while (!stopping) {
      const end = await session.ended.then(
        () => "ended",
        (error: unknown) => reasonOf(error),
      );
      if (stopping) return;
      log.warn({ reason: end }, "job worker ended, starting it again");
      await Promise.race([session.stop(), sleep(STOP_MS, undefined, { ref: false })]);
      await session.close();
      session = await reopen(url, () => stopping);
    }
  };
  const watching = watch();

  return {
    stop: async () => {
      if (stopping) return;
      stopping = true;
      await Promise.race([session.stop(), sleep(STOP_MS, undefined, { ref: false })]);
      await Promise.race([watching, sleep(RESTART_MS, undefined, { ref: false })]);
      await session.close();
    },
  };
}

/** `ended` settles as soon as one of the runners ends. */
type Session = { ended: Promise<void>; stop(): Promise<void>; close(): Promise<void> };

async function open(url: string): Promise<Session> {
  const pgPool = new pg.Pool({
    connectionString: url,
    max: CONCURRENCY + DELIVERING + 3,
    connectionTimeoutMillis: 10_000,
    application_name: "heed-jobs",
  });
  // A cut connection is noticed, and mended, where it is next used.
  const cut = (error: unknown) => log.debug({ reason: reasonOf(error) }, "job worker lost a connection");
  pgPool.on("error", cut).on("connect", (client) => client.on("error", cut));
  const presence = await keepPresence(url);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= Promise.all([pgPool.end().catch(() => {}), presence.end()]).then(() => {}));
  const runners: Running[] = [];
  const stop = async () => {
    await Promise.all(runners.map(({ runner }) => runner.stop().catch(() => {})));
  };
  try {
    const ours = { taskList: tasksWhere((name) => !DELIVERIES.has(name)), concurrency: CONCURRENCY };
    const deliveries = { taskList: tasksWhere((name) => DELIVERIES.has(name)), concurrency: DELIVERING };
    runners.push(await runTasks({ ...ours, pgPool, parsedCronItems: parseCronItems(CRON) }));
    runners.push(await runTasks({ ...deliveries, pgPool, parsedCronItems: [] }));
    return { ended: Promise.race(runners.map(({ ended }) => ended)), stop, close };
  } catch (error) {
    await stop();
    await close();
    throw error;
  }
}

type Running = { runner: Runner; ended: Promise<void> };

async function runTasks(options: RunnerOptions): Promise<Running> {
  const { events, stuck } = watchFailures();
  const runner = await run({ ...options, events, noHandleSignals: true, logger });
  return { runner, ended: Promise.race([stuck, runner.promise]) };
}

/**
 * The library keeps the failure of its first look at the list of tasks, and with it fails at every later one: a
 * connection that is cut in that moment would leave it looking in vain for ever.
 */
function watchFailures(): { events: WorkerEvents; stuck: Promise<never> } {
  const events: WorkerEvents = new EventEmitter();
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  stuck.catch(() => {});
  let failures = 0;
  events.on("worker:getJob:error", () => {
    failures += 1;
    if (failures >= MOST_FAILURES) reject(new Error("no job can be looked for"));
  });
  for (const success of ["worker:getJob:empty", "job:start"] as const)
    events.on(success, () => (failures = 0));
  return { events, stuck };
}

async function reopen(url: string, stopping: () => boolean): Promise<Session> {
  for (;;) {
    await sleep(RESTART_MS);
    try {
      return await open(url);
    } catch (error) {
      if (stopping()) throw error;
      log.warn({ reason: reasonOf(error) }, "job worker can't start yet");
    }
  }
}

const tasksWhere = (chosen: (name: string) => boolean): TaskList =>
  Object.fromEntries(Object.entries(taskList).filter(([name]) => chosen(name)));

const taskList: TaskList = Object.fromEntries(
  Object.entries(TASKS).map(([name, { payload, run: work }]) => [
    name,
    async (given: unknown, { job }: JobHelpers) => {
      try {
        const attempt = { isLast: job.attempts >= job.max_attempts };
        await (work as (payload: unknown, attempt: Attempt) => Promise<void>)(payload.parse(given), attempt);
      } catch (error) {
        throw withoutContent(name, error);
      }
    },
  ]),
);

/**
 * What a failed job may leave in the log and in its row: the task, a code, and where in our code. The
 * message of a mail server quotes addresses, that of the database values.
 */
function withoutContent(name: string, error: unknown): Error {
  const { responseCode, stack } = (error ?? {}) as { responseCode?: number; stack?: string };
  const scrubbed = new Error(`${name}: ${[reasonOf(error), responseCode].filter(Boolean).join(" ")}`);
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  scrubbed.stack = [scrubbed.message, ...frames.slice(0, 8)].join("\n");
  return scrubbed;
}

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** The library's own lines, without what it passes beside them: that holds the whole job. */
const logger = new Logger(() => (level, message) => log[LEVELS[level]]({ source: "jobs" }, message));
