import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import {
  assertDatabaseSessionPreserved,
  connectClient,
  ReadOnlyServerError,
  SessionNotPreservedError,
} from "#lib/database/connections.ts";
import { describeDatabaseUrl } from "#lib/database-url.ts";
import type { Env } from "#lib/env.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

export type DatabaseHandle = { url: string; close(): Promise<void> };

const MIN_POSTGRES_VERSION = 15;
const STARTUP_TIMEOUT_MS = 30_000;

/**
 * Waits up to 30 seconds for the database that DATABASE_URL names; without one, starts or joins the embedded server of
 * the data folder, which `close` releases.
 * @throws Error in plain words when no database is available, it is older than PostgreSQL 15, it is read-only, or it
 * doesn't keep session settings
 */
export async function startOrAwaitDatabase(
  env: Pick<Env, "DATABASE_URL" | "dataDir">,
  log: (line: string) => void = (line) => console.log(line),
): Promise<DatabaseHandle> {
  if (!env.DATABASE_URL) return startOrJoinEmbeddedPostgres(env, log);
  await waitForDatabase(env.DATABASE_URL, log);
  return { url: env.DATABASE_URL, close: async () => {} };
}

async function waitForDatabase(url: string, log: (line: string) => void): Promise<void> {
  const end = Date.now() + STARTUP_TIMEOUT_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      await checkVersion(url);
      return await checkSessions(url);
    } catch (error) {
      if (!isTransientError(error)) throw explainError(url, error);
      if (Date.now() > end)
        throw new Error(
          error instanceof ReadOnlyServerError
            ? `The database at ${describeAddress(url)} could not be written to for 30 seconds: ${describeReason(error)}. Name the server that takes writes, or several with target_session_attrs=read-write. Check DATABASE_URL.`
            : `The database at ${describeAddress(url)} could not be reached within 30 seconds: ${describeReason(error)}. Check DATABASE_URL.`,
        );
      if (attempt === 1)
        log(`Waiting for the database at ${describeAddress(url)}: ${describeReason(error)}.`);
    }
    await sleep(500);
  }
}

/**
 * Runs work of the start, and repeats it for up to 30 seconds while the database is overloaded or can't be reached.
 * @throws the last error of the work
 */
export async function retryWhileDatabaseUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + STARTUP_TIMEOUT_MS; ; await sleep(500)) {
    try {
      return await work();
    } catch (error) {
      // Loaded only now, since it reads the environment, which has no database before it is open.
      const { isDatabaseUnavailableError } = await import("#lib/operation/errors.ts");
      if (!isDatabaseUnavailableError(error) || Date.now() > end) throw error;
    }
  }
}

async function checkVersion(url: string): Promise<void> {
  const client = await connectClient(url, CHECK_OPTIONS);
  try {
    const { rows } = await client.query<{ number: number; name: string }>(
      "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
    );
    const [version] = rows;
    if (!version || version.number < MIN_POSTGRES_VERSION * 10_000)
      throw new UnsupportedServerError(
        `The database at ${describeAddress(url)} is PostgreSQL ${version?.name}. Heed needs PostgreSQL ${MIN_POSTGRES_VERSION} or newer. Check DATABASE_URL.`,
      );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Enough that a pooler which doesn't keep sessions will mix them up. */
const SESSION_CHECK_CONNECTIONS = 3;
const SESSION_CHECK_ROUNDS = 4;

/**
 * Checks that what is set on a connection still holds for the next statement. Behind a pooler that assigns server
 * sessions per transaction, connections see the settings of others or lose their own.
 * @throws SessionNotPreservedError
 */
async function checkSessions(url: string): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    while (clients.length < SESSION_CHECK_CONNECTIONS) clients.push(await connectClient(url, CHECK_OPTIONS));
    for (let round = 0; round < SESSION_CHECK_ROUNDS; round += 1)
      for (const client of clients) await assertDatabaseSessionPreserved(client);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const CHECK_OPTIONS = { applicationName: "heed-check", connectTimeoutMs: 5000 };

class UnsupportedServerError extends Error {}

/**
 * Returns whether the server is missing, starting up, or full, so retrying may help. Other errors (password, name, TLS)
 * persist.
 */
function isTransientError(error: unknown): boolean {
  const code = findErrorCode(error);
  if (
    [
      "ECONNREFUSED",
      "ECONNRESET",
      "ETIMEDOUT",
      "EHOSTUNREACH",
      "ENETUNREACH",
      "ENOTFOUND",
      "EAI_AGAIN",
      "ENOENT",
      "25006",
      "57P01",
      "57P02",
      "57P03",
      "53300",
    ].includes(code)
  )
    return true;
  return code === "" && /timeout|terminated/i.test(String(error));
}

function explainError(url: string, error: unknown): Error {
  if (error instanceof UnsupportedServerError) return error;
  if (error instanceof SessionNotPreservedError)
    return new Error(
      `The database at ${describeAddress(url)} can't be used: ${error.message}. Heed needs sessions that last as long as its connections: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself. Check DATABASE_URL.`,
    );
  return new Error(
    `The database at ${describeAddress(url)} can't be used: ${describeReason(error)}. Check DATABASE_URL.`,
  );
}

function describeReason(error: unknown): string {
  const code = findErrorCode(error);
  if (code === "ECONNREFUSED") return "it refuses the connection";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name is unknown";
  if (error instanceof ReadOnlyServerError) return error.message;
  const message = error instanceof Error ? error.message : "";
  if (message) return code ? `${message} (${code})` : message;
  return code || "no answer";
}

function findErrorCode(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? "";
}

/** Describes the server's address without the password. */
const describeAddress = describeDatabaseUrl;
