import type pg from "pg";
import { openPool } from "#lib/database/connections.ts";
import { env } from "#lib/env.ts";
import { isRetryable, isDatabaseUnavailable, outcomeUnknown } from "#lib/operation/errors.ts";
import { Prisma, PrismaClient } from "#lib/generated/prisma/client.ts";
import { log } from "#lib/observability/log.ts";
import { observePools, type PoolUse } from "#lib/observability/pool-use.ts";
import { ZonedPrismaPg } from "#lib/database/zoned-adapter.ts";
import { startConnectionWatchdog } from "#lib/database/connection-watchdog.ts";
import { createSqlClient, statementName, type SqlClient } from "#lib/database/sql.ts";
import { traceStatements } from "#lib/database/statements.ts";

export type Tx = Prisma.TransactionClient;

type Connections = { pool: pg.Pool; unhurried: pg.Pool; client: PrismaClient };

// One pool a process, also when the bundler loads this module more than once. Fragments of SQL are only
// understood by the copy of the Prisma runtime that made them, so each copy has its own.
const connectionsByRuntime = ((
  globalThis as unknown as { heedConnections?: Map<unknown, Connections> }
).heedConnections ??= new Map());

function openConnections(): Connections {
  const { DATABASE_URL = "", ...settings } = env();
  const common = {
    applicationName: "heed",
    connectTimeoutMs: settings.DATABASE_ACQUIRE_MS,
    queryTimeoutMs: settings.DATABASE_STATEMENT_MS + 1000,
    idleTimeoutMillis: 30_000,
    keepsRestoresAway: true,
  };
  const session = {
    statement_timeout: settings.DATABASE_STATEMENT_MS,
    lock_timeout: Math.min(10_000, settings.DATABASE_STATEMENT_MS),
    idle_in_transaction_session_timeout: 30_000,
    // A prepared statement is planned once a connection: planning a list anew for each call costs more than running it
    // (docs/performance.md).
    plan_cache_mode: "force_generic_plan",
    // A trigger sets when a first answer is due (docs/decisions/020), and an event may promise nothing of its own.
    "heed.response_deadline_hours": settings.RESPONSE_DEADLINE_HOURS,
  };
  const pool = openPool(DATABASE_URL, {
    ...common,
    settings: session,
    max: settings.DATABASE_POOL,
    // A statement doesn't wait for the answer to the one before it, unless its caller does.
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
  const adapter = new ZonedPrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) });
  return {
    pool,
    unhurried: asyncCommitPool,
    client: new PrismaClient({
      adapter,
      transactionOptions: { maxWait: settings.DATABASE_ACQUIRE_MS, timeout: 20_000 },
    }),
  };
}

const logLostConnection = (error: Error) =>
  log.warn({ code: (error as { code?: string }).code }, "database connection lost");

/** A connection that is cut while it is in use says so twice: to whoever waits for an answer, and as an event. */
const ignoreConnectionErrors = (client: pg.PoolClient) => void client.on("error", () => {});

function findOrOpenConnections(): Connections {
  const open = connectionsByRuntime.get(Prisma.Sql) ?? openConnections();
  connectionsByRuntime.set(Prisma.Sql, open);
  return open;
}

/** The Prisma client, connected on first use; its raw statements go straight to the pool (sql.ts). */
export const db: PrismaClient = new Proxy(
  createSqlClient(() => findOrOpenConnections().pool) as PrismaClient,
  {
    get: (raw, property) => Reflect.get(property in raw ? raw : findOrOpenConnections().client, property),
  },
);

/** The pool beneath Prisma, for what needs a cursor or a library of its own (exports, rate limits, jobs). */
export const pool = (): pg.Pool => findOrOpenConnections().pool;

/** The pools of this process's copy of the module, for what looks at connections themselves (health). */
export const pools = (): pg.Pool[] => [findOrOpenConnections().pool, findOrOpenConnections().unhurried];

/** Connections of this process, those of other copies of this module too, and requests that wait for one. */
function readPoolUsage(): PoolUse {
  const pools = [...connectionsByRuntime.values()].flatMap(({ pool, unhurried: asyncCommitPool }) => [
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
observePools(readPoolUsage);

/**
 * Raw statements on a connection whose commits don't wait for the disk: for lines of which the last half second may be
 * lost when the database goes down. When this process goes down, nothing is.
 */
export const asyncCommitPool: SqlClient = createSqlClient(() => findOrOpenConnections().unhurried);

/**
 * Runs `work` in one transaction; a deadlock or serialization failure is tried again, three times in all.
 * @throws what `work` throws; nothing is kept then.
 */
export const runTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  withRetries(async () => {
    let used: Tx | undefined;
    let finished = false;
    const attempt = async (tx: Tx) => {
      const result = await work((used = tx));
      finished = true;
      return result;
    };
    const result = await db.$transaction(attempt).catch((error: unknown) => {
      // What fails after the work was done is the commit.
      throw finished && isDatabaseUnavailable(error) ? outcomeUnknown() : error;
    });
    runCommitCallbacks(used);
    return result;
  });

/**
 * As `transaction`, for work that is raw statements and nothing else: on a connection of the pool, past Prisma's
 * engine, for the writes that have to be quick (docs/performance.md).
 * @param last the statements at the end of it, of which nothing has to be known before the commit: they and the commit
 *   are sent in one go. It gets what `work` gives, and sends all of them before it waits for any.
 * @throws what `work` or `last` throws; nothing is kept then.
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
  return withRetries(() => runOnConnection(work, finalStatements));
}

const CUSTOM_PLAN_WORK_MEM = "64MB";

/**
 * Runs one statement with a plan for its very values. A plan for any values can't know how rare a searched word is, and
 * reads every report of an event where an index has the few that hold it (docs/performance.md).
 *
 * It may use memory enough to know each of a hundred thousand rows that an index finds. With the database's own measure
 * (4 MB) it would know only on which pages they are, and expect so little of that that it reads another index's every row.
 */
export const withCustomPlan = <Row>(statement: Prisma.Sql): Promise<Row[]> =>
  runSqlTransaction(
    (tx) =>
      tx.$executeRaw`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', ${CUSTOM_PLAN_WORK_MEM}, true)`,
    (tx) => tx.$queryRaw<Row[]>(statement),
  );

async function runOnConnection<T, R>(
  work: (tx: SqlClient) => Promise<T>,
  finalStatements: (tx: SqlClient, found: T) => Promise<R>,
): Promise<R> {
  const client = await pool().connect();
  const open = { client: client as pg.PoolClient | undefined };
  const tx = createSqlClient(() => open.client ?? throwTransactionEnded());
  let rollbackError: Error | undefined;
  try {
    // What comes first goes right behind it: without a transaction there would be no connection either.
    const [, found] = await Promise.all([client.query("begin"), work(tx)]);
    const finished = finalStatements(tx, found);
    open.client = undefined;
    const result = await commitPending(client, finished);
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
 * Commits behind what is under way. When that fails, the database answers the commit by undoing everything; when it
 * doesn't answer, nobody can know what became of it.
 */
async function commitPending<R>(client: pg.PoolClient, finished: Promise<R>): Promise<R> {
  const [result, done] = await Promise.allSettled([finished, client.query("commit")]);
  if (done.status === "rejected" && isDatabaseUnavailable(done.reason)) throw outcomeUnknown();
  if (result.status === "rejected") throw result.reason;
  if (done.status === "rejected") throw done.reason;
  if (done.value.command !== "COMMIT") throw new Error("the transaction was undone");
  return result.value;
}

/** A statement after the commit would be kept by itself. */
function throwTransactionEnded(): never {
  throw new Error("the transaction has ended");
}

// One for all copies of this module, since the one that writes needn't be the one that listens.
const commitCallbacks = ((
  globalThis as unknown as { heedAfterCommit?: WeakMap<object, Set<() => void>> }
).heedAfterCommit ??= new WeakMap());

/** Has `then` called once the transaction has committed; never, when it is undone. */
export function afterCommit(tx: object, callback: () => void): void {
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
      if (attemptNumber >= 3 || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 * attemptNumber + Math.random() * 30));
    }
  }
}

/** Ends every connection of this process, those of other copies of this module too. */
export async function disconnect(): Promise<void> {
  const open = [...connectionsByRuntime.values()];
  connectionsByRuntime.clear();
  for (const { client, pool, unhurried: asyncCommitPool } of open) {
    await client.$disconnect();
    await Promise.all([pool.end(), asyncCommitPool.end()]);
  }
}
