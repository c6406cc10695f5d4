import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  parseCronItems,
  run,
  type CronItem,
  type JobHelpers,
  type Runner,
  type RunnerOptions,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type pg from "pg";
import { openPool } from "#lib/database/connections.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { MailRefusedError } from "#lib/mail/refusal.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import { isAwaitingDatabaseResponse, startConnectionWatchdog } from "#lib/database/connection-watchdog.ts";
import { withRootOrChildSpan, withChildSpan } from "#lib/observability/spans.ts";
import { WebhookReceiverError } from "#lib/webhooks/deliveries.ts";
import { jobLibraryLogger } from "./library-log.ts";
import {
  giveUpRefusedMailAfterRetries,
  mailQueueBackoff,
  recordJobFailure,
  recordMailRefusal,
  resetJobQueueFailures,
  UNDELIVERABLE_MAIL_ERROR_TEXT,
} from "#lib/jobs/outcomes.ts";
import { resetFutureTimes, waitForClockChange } from "./clock.ts";
import { acquireWorkerPresenceLock, type WorkerPresenceLock } from "./presence.ts";
import { chooseJobQueue, JOB_QUEUES, type JobQueue } from "#lib/jobs/queues.ts";
import { JOB_TASKS, type JobAttempt } from "./tasks.ts";

/** Concurrent jobs per queue. */
const CONCURRENCY: Record<JobQueue, number> = { maintenance: 2, mail: 2, webhooks: 3 };
/** After this many failed polls in a row, the worker restarts. */
const MAX_POLL_FAILURES = 5;
/** How long `stop` waits for running jobs. The next worker retries an unfinished one. */
const STOP_TIMEOUT_MS = 10_000;
const RESTART_DELAY_MS = 5000;

const HOUR_MS = 3600_000;

/** Schedules (minute, hour, day, month, weekday; UTC). A run missed within its `backfillPeriod` runs at the start. */
const CRON_ITEMS: (CronItem & { task: keyof typeof JOB_TASKS })[] = [
  { task: "sweepOrphans", match: "41 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  { task: "sweepRows", match: "23 3 * * *", options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS } },
  {
    task: "sweepNotifications",
    match: "53 3 * * *",
    options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS },
  },
  {
    task: "beginEvidenceCheck",
    match: "11 1 * * *",
    options: { maxAttempts: 3, backfillPeriod: 24 * HOUR_MS },
  },
  { task: "recheckEvidenceProblems", match: "29 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "sweepCounters", match: "*/5 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "flushSearchIndexes", match: "* * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "mail.auditHeads", match: "7 3 * * *", options: { maxAttempts: 10, backfillPeriod: 20 * HOUR_MS } },
  { task: "applyRetention", match: "37 * * * *", options: { maxAttempts: 3, backfillPeriod: HOUR_MS } },
  { task: "queueDigests", match: "*/5 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "letOutsidePeopleIn", match: "* * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
  { task: "escalateUnanswered", match: "*/5 * * * *", options: { maxAttempts: 1, backfillPeriod: 0 } },
];

export type JobWorker = {
  /** Takes no more jobs, waits up to ten seconds for running ones, and closes the database connections. */
  stop(): Promise<void>;
};

/**
 * Runs the job queue in this process: mails, removal of files, sweeps. The library retries a failed job, after 2 s at
 * first and six hours at most. If the database stays away longer than the library tolerates, the worker restarts until
 * it is stopped.
 * @param url connection string of the database that `enqueue` writes to
 * @throws Error when the database can't be reached at the start
 */
export async function startWorker(url: string): Promise<JobWorker> {
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let session = await openSession(url);

  const superviseSession = async () => {
    while (!stopping) {
      const end = await session.ended.then(
        () => "ended",
        (error: unknown) => describeErrorForLog(error),
      );
      if (stopping) return;
      log.warn({ reason: end }, "job worker ended, starting it again");
      await waitAtMost(STOP_TIMEOUT_MS, session.stop());
      await session.close();
      session = (await reopenSession(url, session, stopped.promise)) ?? session;
    }
  };
  const supervision = superviseSession();

  return {
    stop: async () => {
      if (stopping) return;
      stopping = true;
      stopped.resolve();
      await waitAtMost(STOP_TIMEOUT_MS, session.stop());
      await waitAtMost(RESTART_DELAY_MS, supervision);
      // A new session may have opened at this moment.
      await waitAtMost(STOP_TIMEOUT_MS, session.stop());
      await session.close();
    },
  };
}

const waitAtMost = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, sleep(ms, undefined, { ref: false })]);

/**
 * `ended` settles as soon as a runner ends, the presence lock is lost, or the clock or the schedule was corrected
 * (clock.ts); `workers` are their names in the queue.
 */
type WorkerSession = {
  workers: string[];
  ended: Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
};

async function openSession(url: string, formerWorkerIds: string[] = []): Promise<WorkerSession> {
  const pgPool = openWorkerPool(url);
  let presenceLock: WorkerPresenceLock | undefined;
  let closed: Promise<void> | undefined;
  const close = () =>
    (closed ??= Promise.all([pgPool.end().catch(() => {}), presenceLock?.end()]).then(() => {}));
  const runners: StartedRunner[] = [];
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await Promise.all(runners.map(({ runner }) => runner.stop().catch(() => {})));
  };
  try {
    presenceLock = await acquireWorkerPresenceLock(url, formerWorkerIds);
    // Before the schedule starts, since it then makes up for missed runs.
    await resetFutureTimes();
    const clockChanged = waitForClockChange(stopping.signal);
    for (const queue of JOB_QUEUES)
      runners.push(
        await startRunner({
          taskList: createTaskList(queue, stopping.signal),
          concurrency: CONCURRENCY[queue],
          pgPool,
          parsedCronItems: parseCronItems(queue === "maintenance" ? CRON_ITEMS : []),
        }),
      );
    const workers = runners.flatMap((one) => one.workers);
    const ended = Promise.race([...runners.map((one) => one.ended), presenceLock.lost, clockChanged]);
    return { workers, ended, stop, close };
  } catch (error) {
    await stop();
    await close();
    throw error;
  }
}

function openWorkerPool(url: string): pg.Pool {
  const pgPool = openPool(url, {
    applicationName: "heed-jobs",
    keepsRestoresAway: true,
    // One per runner to listen on, and two for the library's own short statements: a running job holds none.
    max: JOB_QUEUES.length + 2,
  });
  ignoreSecondRelease(pgPool);
  startConnectionWatchdog(pgPool, url, isAwaitingDatabaseResponse);
  // A broken connection is noticed and replaced at its next use.
  const logLostConnection = (error: unknown) =>
    log.debug({ reason: describeErrorForLog(error) }, "job worker lost a connection");
  pgPool.on("error", logLostConnection).on("connect", (client) => client.on("error", logLostConnection));
  return pgPool;
}

/**
 * The library may release a connection twice if it breaks while the library starts or stops listening on it. Nobody
 * would catch the pool's error about that.
 */
function ignoreSecondRelease(pool: pg.Pool): void {
  type ConnectCallback = (
    error: Error | undefined,
    client: pg.PoolClient | undefined,
    release: ReleaseConnection,
  ) => void;
  type ReleaseConnection = (error?: Error | boolean) => void;
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => Promise<pg.PoolClient>;
  const releaseOnce = (release: ReleaseConnection): ReleaseConnection => {
    let released = false;
    return (error) => {
      if (!released) release(error);
      released = true;
    };
  };
  const connectWithSingleRelease = (callback?: ConnectCallback) =>
    connect(
      callback && ((error, client, release) => callback(error, client, release && releaseOnce(release))),
    );
  pool.connect = connectWithSingleRelease as typeof pool.connect;
}

type StartedRunner = { workers: string[]; runner: Runner; ended: Promise<void> };

/**
 * Without batches, the library ignores an error in writing a job's outcome: nobody would notice, and the job would
 * stay locked. In batches such an error ends the runner, and the worker restarts.
 */
const batchingPreset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

async function startRunner(options: RunnerOptions): Promise<StartedRunner> {
  const { events, stuck } = watchPollFailures();
  const workers: string[] = [];
  events.on("pool:create", ({ workerPool }) => workers.push(workerPool.id));
  const runner = await run({
    ...options,
    preset: batchingPreset,
    events,
    noHandleSignals: true,
    logger: jobLibraryLogger,
  });
  const ended = Promise.race([stuck, runner.promise]);
  // It may end before anybody awaits it.
  ended.catch(() => {});
  return { workers, runner, ended };
}

/**
 * Detects a stuck runner. If the library's first lookup of its task list fails, because the connection breaks at that
 * moment, it keeps that failure and fails at every later poll.
 */
function watchPollFailures(): { events: WorkerEvents; stuck: Promise<never> } {
  const events: WorkerEvents = new EventEmitter();
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  stuck.catch(() => {});
  let failures = 0;
  events.on("worker:getJob:error", () => {
    failures += 1;
    if (failures >= MAX_POLL_FAILURES) reject(new Error("no job can be looked for"));
  });
  for (const success of ["worker:getJob:empty", "job:start"] as const)
    events.on(success, () => (failures = 0));
  return { events, stuck };
}

/** Opens a new session after a failure. Returns undefined if the service stops in the meantime. */
async function reopenSession(
  url: string,
  { workers }: WorkerSession,
  stopped: Promise<void>,
): Promise<WorkerSession | undefined> {
  let stopping = false;
  void stopped.then(() => (stopping = true));
  for (;;) {
    await waitAtMost(RESTART_DELAY_MS, stopped);
    if (stopping) return undefined;
    try {
      return await openSession(url, workers);
    } catch (error) {
      log.warn({ reason: describeErrorForLog(error) }, "job worker can't start yet");
    }
  }
}

const createTaskList = (queue: JobQueue, stopping: AbortSignal): TaskList =>
  Object.fromEntries(
    Object.entries(JOB_TASKS)
      .filter(([name]) => chooseJobQueue(name) === queue)
      .map(([name, { payload, run: work }]) => [
        name,
        async (rawPayload: unknown, { job }: JobHelpers) => {
          if (queue === "mail") await mailQueueBackoff.wait(stopping);
          const attempt = { isLast: job.attempts >= job.max_attempts };
          const runTask = work as (payload: unknown, attempt: JobAttempt) => Promise<void>;
          const trace = isScheduled(rawPayload) ? withChildSpan : withRootOrChildSpan;
          await runAndRecordJob(name, job, () =>
            trace(`job ${name}`, () => runTask(payload.parse(rawPayload), attempt)),
          );
        },
      ]),
  );

/** Returns whether the schedule started the job, and not a request. */
const isScheduled = (payload: unknown): boolean =>
  typeof payload === "object" && payload !== null && "_cron" in payload;

/** Runs a job and counts its outcome. @throws Error without any content of the job */
async function runAndRecordJob(
  task: string,
  job: JobHelpers["job"],
  work: () => Promise<void>,
): Promise<void> {
  const queue = chooseJobQueue(task);
  try {
    await work();
  } catch (error) {
    if (error instanceof MailRefusedError) throw await handleMailRefusal(task, job, error);
    const failure = redactError(task, error);
    findProcessMetrics()?.jobs.inc({ task, outcome: "failed" });
    // Failures of a webhook's receiver are shown on a page of their own.
    if (!(error instanceof WebhookReceiverError)) await recordJobFailure(queue, failure.message);
    throw failure;
  }
  findProcessMetrics()?.jobs.inc({ task, outcome: "done" });
  // A mail counts once the server has accepted it (mail/send.ts): a job may find nothing to send.
  if (queue !== "mail") await resetJobQueueFailures(queue);
}

/**
 * Counts a refusal separately from failures as long as it may concern only this mail. A permanent refusal ends the
 * mail's retries.
 * @returns the error that the job fails with
 */
async function handleMailRefusal(
  task: string,
  job: JobHelpers["job"],
  refusal: MailRefusedError,
): Promise<Error> {
  const failure = redactError(task, refusal);
  const isServerFailing = await recordMailRefusal(failure.message, refusal.recipient);
  findProcessMetrics()?.jobs.inc({ task, outcome: isServerFailing ? "failed" : "refused" });
  const isGivenUp =
    !isServerFailing && refusal.isPermanent && (await giveUpRefusedMailAfterRetries(task, job));
  if (isGivenUp) failure.message = failure.message.replace(": ", `: ${UNDELIVERABLE_MAIL_ERROR_TEXT} `);
  return failure;
}

/**
 * Reduces an error to what the log and the job's row may hold: the task, a code, and where in our code. A mail
 * server's message quotes addresses, and the database's quotes values.
 */
function redactError(name: string, error: unknown): Error {
  const { responseCode, stack } = (error ?? {}) as { responseCode?: number; stack?: string };
  const scrubbed = new Error(
    `${name}: ${[describeErrorForLog(error), responseCode].filter(Boolean).join(" ")}`,
  );
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  scrubbed.stack = [scrubbed.message, ...frames.slice(0, 8)].join("\n");
  return scrubbed;
}
