import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { env } from "#lib/env.ts";
import { isRetryable } from "#lib/errors.ts";
import { Prisma, PrismaClient } from "#lib/generated/prisma/client.ts";
import { log } from "#lib/log.ts";
import { sqlOn, statementName, type Sql } from "#lib/sql.ts";

export type Tx = Prisma.TransactionClient;

type Connections = { pool: pg.Pool; unhurried: pg.Pool; client: PrismaClient };

// One pool a process, also when the bundler loads this module more than once. Fragments of SQL are only
// understood by the copy of the Prisma runtime that made them, so each copy has its own.
const kept = ((globalThis as unknown as { heedConnections?: Map<unknown, Connections> }).heedConnections ??=
  new Map());

// Prisma sends and reads times without their zone; a server may have any. A prepared statement is planned once a
// connection: planning a list anew for each call costs more than running it (docs/performance.md).
const OPTIONS = "-c TimeZone=UTC -c plan_cache_mode=force_generic_plan";

function connect(): Connections {
  const settings = env();
  const common = {
    connectionString: settings.DATABASE_URL,
    connectionTimeoutMillis: settings.DATABASE_ACQUIRE_MS,
    idleTimeoutMillis: 30_000,
    statement_timeout: settings.DATABASE_STATEMENT_MS,
    query_timeout: settings.DATABASE_STATEMENT_MS + 1000,
    lock_timeout: Math.min(10_000, settings.DATABASE_STATEMENT_MS),
    idle_in_transaction_session_timeout: 30_000,
    application_name: "heed",
  };
  const pool = new pg.Pool({
    ...common,
    max: settings.DATABASE_POOL,
    options: OPTIONS,
  });
  const unhurried = new pg.Pool({ ...common, max: 1, options: `${OPTIONS} -c synchronous_commit=off` });
  for (const one of [pool, unhurried])
    one.on("error", (error) =>
      log.warn({ code: (error as { code?: string }).code }, "database connection lost"),
    );
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) });
  return {
    pool,
    unhurried,
    client: new PrismaClient({
      adapter,
      transactionOptions: { maxWait: settings.DATABASE_ACQUIRE_MS, timeout: 20_000 },
    }),
  };
}

function connections(): Connections {
  const open = kept.get(Prisma.Sql) ?? connect();
  kept.set(Prisma.Sql, open);
  return open;
}

/** The Prisma client, connected on first use; its raw statements go straight to the pool (sql.ts). */
export const db: PrismaClient = new Proxy(sqlOn(() => connections().pool) as PrismaClient, {
  get: (raw, property) => Reflect.get(property in raw ? raw : connections().client, property),
});

/** The pool beneath Prisma, for what needs a cursor or a library of its own (exports, rate limits, jobs). */
export const pool = (): pg.Pool => connections().pool;

/**
 * Raw statements on a connection whose commits don't wait for the disk: for lines of which the last half second may be
 * lost when the database goes down. When this process goes down, nothing is.
 */
export const unhurried: Sql = sqlOn(() => connections().unhurried);

/**
 * Runs `work` in one transaction; a deadlock or serialization failure is tried again, three times in all.
 * @throws what `work` throws; nothing is kept then.
 */
export const transaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  retried(() => db.$transaction(work));

/**
 * As `transaction`, for work that is raw statements and nothing else: on a connection of the pool, past Prisma's
 * engine, for the writes that have to be quick (docs/performance.md).
 * @throws what `work` throws; nothing is kept then.
 */
export const sqlTransaction = <T>(work: (tx: Sql) => Promise<T>): Promise<T> =>
  retried(() => onConnection(work));

async function onConnection<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
  const client = await pool().connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(sqlOn(() => client));
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((reason: Error) => (broken = reason));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= 3 || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 * tries + Math.random() * 30));
    }
  }
}

/** Ends every connection of this process, those of other copies of this module too. */
export async function disconnect(): Promise<void> {
  const open = [...kept.values()];
  kept.clear();
  for (const { client, pool, unhurried } of open) {
    await client.$disconnect();
    await Promise.all([pool.end(), unhurried.end()]);
  }
}
