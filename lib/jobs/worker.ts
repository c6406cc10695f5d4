import { setTimeout as sleep } from "node:timers/promises";
import { Logger, parseCronItems, run, type CronItem, type Runner, type TaskList } from "graphile-worker";
import pg from "pg";
import { reasonOf } from "#lib/files/failures.ts";
import { log } from "#lib/log.ts";
import { keepPresence } from "./presence.ts";
import { TASKS } from "./tasks.ts";

const CONCURRENCY = 2;
/** How long `stop` waits for running jobs. What doesn't end in time is tried again by the next worker. */
const STOP_MS = 10_000;
const RESTART_MS = 5000;

const HOUR_MS = 3600_000;

/** When the sweeps run (minute, hour, day, month, weekday; UTC). One missed while stopped runs at the start. */
const CRON: CronItem[] = [
  { task: "sweepTemporary", match: "17 * * * *", options: { maxAttempts: 3, backfillPeriod: HOUR_MS } },
  { task: "sweepOrphans", match: "41 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  { task: "sweepRows", match: "23 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
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
      const end = await session.runner.promise.then(
        () => "ended",
        (error: unknown) => reasonOf(error),
      );
      if (stopping) return;
      log.warn({ reason: end }, "job worker ended, starting it again");
      await session.close();
      session = await reopen(url, () => stopping);
    }
  };
  const watching = watch();

  return {
    stop: async () => {
      if (stopping) return;
      stopping = true;
      await Promise.race([session.runner.stop().catch(() => {}), sleep(STOP_MS, undefined, { ref: false })]);
      await Promise.race([watching, sleep(RESTART_MS, undefined, { ref: false })]);
      await session.close();
    },
  };
}

type Session = { runner: Runner; close(): Promise<void> };

async function open(url: string): Promise<Session> {
  const pgPool = new pg.Pool({
    connectionString: url,
    max: CONCURRENCY + 3,
    connectionTimeoutMillis: 10_000,
    application_name: "heed-jobs",
  });
  // A cut connection is noticed, and mended, where it is next used.
  const cut = (error: unknown) => log.debug({ reason: reasonOf(error) }, "job worker lost a connection");
  pgPool.on("error", cut).on("connect", (client) => client.on("error", cut));
  const presence = await keepPresence(url);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= Promise.all([pgPool.end().catch(() => {}), presence.end()]).then(() => {}));
  try {
    const runner = await run({
      pgPool,
      taskList,
      parsedCronItems: parseCronItems(CRON),
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      logger,
    });
    return { runner, close };
  } catch (error) {
    await close();
    throw error;
  }
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

const taskList: TaskList = Object.fromEntries(
  Object.entries(TASKS).map(([name, { payload, run: work }]) => [
    name,
    async (given: unknown) => {
      try {
        await (work as (payload: unknown) => Promise<void>)(payload.parse(given));
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
