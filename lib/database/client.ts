import type pg from "pg";
import { openPool } from "#lib/database/connections.ts";
import { env, type Env } from "#lib/env.ts";
import {
  isRetryableTransactionError,
  isDatabaseUnavailableError,
  createCommitOutcomeUnknownError,
} from "#lib/operation/errors.ts";
import { Prisma, PrismaClient } from "#lib/generated/prisma/client.ts";
import { log } from "#lib/observability/log.ts";
import { setDatabasePoolUsageReader, type DatabasePoolUsage } from "#lib/observability/pool-use.ts";
import { processWide } from "#lib/process-wide.ts";
import { createPrismaAdapterWithZonedTimes } from "#lib/database/zoned-adapter.ts";
import { startConnectionWatchdog } from "#lib/database/connection-watchdog.ts";
import { createSqlClient, choosePrismaStatementName, type SqlClient } from "#lib/database/sql.ts";
import { traceStatements } from "#lib/database/statements.ts";
import { prependEnclosingTransactionCheck } from "#lib/database/transaction-guard.ts";

export type Tx = Prisma.TransactionClient;

type Connections = { pool: pg.Pool; asyncCommitPool: pg.Pool; client: PrismaClient };

// One entry per loaded copy of the Prisma runtime. A copy understands only the SQL fragments that it created itself, so
// each has its own pools.
const connectionsByRuntime = processWide("database connections", () => new Map<unknown, Connections>());

function openConnections(): Connections {
  const { DATABASE_URL = "", ...settings } = env();
  const common = {
    applicationName: "heed",
    connectTimeoutMs: settings.DATABASE_ACQUIRE_MS,
    queryTimeoutMs: settings.DATABASE_STATEMENT_MS + 1000,
    idleTimeoutMillis: 30_000,
    keepsRestoresAway: true,
  };
  const session = buildSessionSettings(settings);
  const pool = openPool(DATABASE_URL, {
    ...common,
    settings: session,
    max: settings.DATABASE_POOL,
    // Sends a statement without waiting for the response to the previous one, unless its caller waits.
    pipeline: true,
  });
  const asyncCommitPool = openPool(DATABASE_URL, {
    ...common,
    settings: { ...session, synchronous_commit: "off" },
    max: 1,
  });
  for (const one of [pool, asyncCommitPool]) {
    one.on("error", logLostConnection).on("connect", ignoreConnectionErrors);
    traceStatements(one);
    startConnectionWatchdog(one, DATABASE_URL);
  }
  return { pool, asyncCommitPool, client: prisma };
}

const buildSessionSettings = (settings: Pick<Env, "DATABASE_STATEMENT_MS">) => ({
  statement_timeout: settings.DATABASE_STATEMENT_MS,
  lock_timeout: Math.min(10_000, settings.DATABASE_STATEMENT_MS),
  idle_in_transaction_session_timeout: 30_000,
  // Plans each prepared statement once per connection: planning a list query for every call costs more than
  // running it (docs/performance.md).
  plan_cache_mode: "force_generic_plan",
});

const logLostConnection = (error: Error) =>
  log.warn({ code: (error as { code?: string }).code }, "database connection lost");

/** A connection that breaks while in use reports it twice: to whoever waits for a response, and as an event. */
const ignoreConnectionErrors = (client: pg.PoolClient) => void client.on("error", () => {});

function findOrOpenConnections(): Connections {
  const open = connectionsByRuntime.get(Prisma.Sql) ?? openConnections();
  connectionsByRuntime.set(Prisma.Sql, open);
  return open;
}

/** The Prisma client, which connects at its first query: for ordinary reads and writes. */
export const prisma = new PrismaClient({
  adapter: createPrismaAdapterWithZonedTimes(() => findOrOpenConnections().pool, {
    statementNameGenerator: ({ sql }) => choosePrismaStatementName(sql),
  }),
  transactionOptions: { timeout: 20_000 },
});

/** Raw SQL on the pool, past Prisma's engine: for locks, lists, aggregates and what Prisma can't express (sql.ts). */
export const sql: SqlClient = createSqlClient(() => findOrOpenConnections().pool);

/** Returns the pool beneath Prisma, for cursors and libraries that need one (exports, rate limits, jobs). */
export const getPrismaPool = (): pg.Pool => findOrOpenConnections().pool;

/** Returns the pools of this copy of the module, for checks of the connections themselves (health). */
export const listDatabasePools = (): pg.Pool[] => [
  findOrOpenConnections().pool,
  findOrOpenConnections().asyncCommitPool,
];

/** Counts the connections of all module copies in this process, and the requests that wait for one. */
function sumPoolUse(): DatabasePoolUsage {
  const pools = [...connectionsByRuntime.values()].flatMap(({ pool, asyncCommitPool }) => [
    pool,
    asyncCommitPool,
  ]);
  const sum = (of: (one: pg.Pool) => number) => pools.reduce((all, one) => all + of(one), 0);
  return {
    total: sum(({ totalCount }) => totalCount),
    idle: sum(({ idleCount }) => idleCount),
    waiting: sum(({ waitingCount }) => waitingCount),
  };
}
setDatabasePoolUsageReader(sumPoolUse);

/**
 * Runs raw statements on a connection whose commits don't wait for the disk: for rows whose last half second may be
 * lost when the database crashes. A crash of this process loses nothing.
 */
export const asyncCommitClient: SqlClient = createSqlClient(() => findOrOpenConnections().asyncCommitPool);

/**
 * Runs `work` in one transaction; retries deadlocks and serialization failures, three attempts in all.
 * @throws what `work` throws, after a rollback; an `OutcomeUnknownError` when the connection is lost during the commit
 */
export const runTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  withRetries(async () => {
    const guardedWork = prependEnclosingTransactionCheck(work);
    let used: Tx | undefined;
    let finished = false;
    const attempt = async (tx: Tx) => {
      workBeforeCommit.set((used = tx), []);
      const result = await guardedWork(tx);
      const writeLast = await prepareCommit(tx);
      await writeLast();
      finished = true;
      return result;
    };
    const options = { maxWait: env().DATABASE_ACQUIRE_MS };
    const result = await prisma.$transaction(attempt, options).catch((error: unknown) => {
      // A failure after the work was done is a failed commit.
      throw finished && isDatabaseUnavailableError(error) ? createCommitOutcomeUnknownError() : error;
    });
    runCommitCallbacks(used);
    return result;
  });

/**
 * Like `runTransaction`, for work that consists only of raw statements: runs on a connection of the pool, past
 * Prisma's engine, for writes that have to be fast (docs/performance.md).
 * @param finalStatements the last statements, whose results aren't needed before the commit: they are sent together
 * with it. It receives the result of `work`, and sends all of its statements before it waits for any
 * @throws what `work` or `finalStatements` throws, after a rollback; an `OutcomeUnknownError` when the connection is
 * lost in the commit
 */
export function runSqlTransaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>;
export function runSqlTransaction<T, R>(
  work: (tx: SqlClient) => Promise<T>,
  finalStatements: (tx: SqlClient, found: T) => Promise<R>,
): Promise<R>;
export function runSqlTransaction<T>(
  work: (tx: SqlClient) => Promise<T>,
  finalStatements = (_: SqlClient, found: T) => Promise.resolve(found),
): Promise<T> {
  return withRetries(() => runOnConnection(prependEnclosingTransactionCheck(work), finalStatements));
}

const CUSTOM_PLAN_WORK_MEM = "64MB";

/**
 * Runs one statement with a plan for its actual values. A generic plan can't know how rare a searched word is, and
 * reads every report of an event where an index holds the few that match (docs/performance.md).
 *
 * The statement gets enough memory for a bitmap of a hundred thousand exact rows. With the default of 4 MB the bitmap
 * would hold only pages; the planner considers that expensive, and would read all rows of another index instead.
 */
export const queryWithCustomPlan = <Row>(statement: Prisma.Sql): Promise<Row[]> =>
  runSqlTransaction(
    (tx) =>
      tx.$executeRaw`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', ${CUSTOM_PLAN_WORK_MEM}, true)`,
    (tx) => tx.$queryRaw<Row[]>(statement),
  );

async function runOnConnection<T, R>(
  work: (tx: SqlClient) => Promise<T>,
  finalStatements: (tx: SqlClient, found: T) => Promise<R>,
): Promise<R> {
  const client = await getPrismaPool().connect();
  const open = { client: client as pg.PoolClient | undefined };
  const tx = createSqlClient(() => open.client ?? throwTransactionEnded());
  workBeforeCommit.set(tx, []);
  let rollbackError: Error | undefined;
  try {
    // The first statement is sent right behind `begin`: if that fails, the connection is broken, and the statement
    // fails too.
    const [, found] = await Promise.all([client.query("begin"), work(tx)]);
    const finished = finalStatements(tx, found);
    const writeLast = hasWorkBeforeCommit(tx) ? await prepareBehind(finished, tx) : undefined;
    const written = Promise.all([finished, writeLast?.()]).then(([value]) => value);
    open.client = undefined;
    const result = await commitPending(client, written);
    runCommitCallbacks(tx);
    return result;
  } catch (error) {
    open.client = undefined;
    await client.query("rollback").catch((reason: Error) => (rollbackError = reason));
    throw error;
  } finally {
    client.release(rollbackError);
  }
}

/**
 * Sends the commit behind the pending statements. If one of them has failed, the database responds to the commit by
 * rolling back; if it doesn't respond, the outcome is unknown.
 */
async function commitPending<R>(client: pg.PoolClient, finished: Promise<R>): Promise<R> {
  const [result, done] = await Promise.allSettled([finished, client.query("commit")]);
  if (done.status === "rejected" && isDatabaseUnavailableError(done.reason))
    throw createCommitOutcomeUnknownError();
  if (result.status === "rejected") throw result.reason;
  if (done.status === "rejected") throw done.reason;
  if (done.value.command !== "COMMIT") throw new Error("the transaction was undone");
  return result.value;
}

/** A statement after the commit would take effect on its own. */
function throwTransactionEnded(): never {
  throw new Error("the transaction has ended");
}

/** What a transaction does last. It reads and locks at once; what it returns writes, and waits for no response. */
type WorkBeforeCommit = () => Promise<() => Promise<unknown>>;

// All copies of this module share these maps: the copy that runs a transaction may not be the one that adds to it.
const workBeforeCommit = processWide(
  "database work before commits",
  () => new WeakMap<object, WorkBeforeCommit[]>(),
);

/**
 * Adds what a transaction does right before its commit, after all of its statements. In a transaction of raw statements
 * it costs one round trip: it is sent behind the last statements, and what it returns together with the commit.
 * @throws Error outside of `runTransaction` and `runSqlTransaction`, and once the transaction ends
 */
export function runBeforeCommit(tx: object, work: WorkBeforeCommit): void {
  const added = workBeforeCommit.get(tx) ?? throwTransactionEnded();
  added.push(work);
}

const hasWorkBeforeCommit = (tx: object): boolean => (workBeforeCommit.get(tx) ?? []).length > 0;

async function prepareCommit(tx: object): Promise<() => Promise<unknown>> {
  const added = workBeforeCommit.get(tx) ?? [];
  workBeforeCommit.delete(tx);
  const writes: (() => Promise<unknown>)[] = [];
  for (const prepare of added) writes.push(await prepare());
  return () => Promise.all(writes.map((write) => write()));
}

/** Prepares the commit behind statements whose responses are still to come; their failure decides. */
async function prepareBehind(statements: Promise<unknown>, tx: object): Promise<() => Promise<unknown>> {
  const [sent, prepared] = await Promise.allSettled([statements, prepareCommit(tx)]);
  if (sent.status === "rejected") throw sent.reason;
  if (prepared.status === "rejected") throw prepared.reason;
  return prepared.value;
}

const commitCallbacks = processWide(
  "database commit callbacks",
  () => new WeakMap<object, Set<() => void>>(),
);

/** Calls `callback` once the transaction has committed; never after a rollback. */
export function runAfterCommit(tx: object, callback: () => void): void {
  commitCallbacks.set(tx, (commitCallbacks.get(tx) ?? new Set()).add(callback));
}

function runCommitCallbacks(tx: object | undefined): void {
  for (const callback of (tx && commitCallbacks.get(tx)) ?? []) callback();
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attemptNumber >= 3 || !isRetryableTransactionError(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 * attemptNumber + Math.random() * 30));
    }
  }
}

/** Closes every connection of this process, including those of other copies of this module. */
export async function disconnectDatabase(): Promise<void> {
  const open = [...connectionsByRuntime.values()];
  connectionsByRuntime.clear();
  for (const { client, pool, asyncCommitPool } of open) {
    await client.$disconnect();
    await Promise.all([pool.end(), asyncCommitPool.end()]);
  }
}
