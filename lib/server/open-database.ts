import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { checkSession, connectClient, ReadOnlyServer, SessionNotKept } from "#lib/database/connections.ts";
import { describeDatabaseUrl } from "#lib/database-url.ts";
import type { Env } from "#lib/env.ts";
import { openPostgres } from "#lib/database/embedded/server.ts";

export type Database = { url: string; close(): Promise<void> };

const OLDEST = 15;
const PATIENCE_MS = 30_000;

/**
 * The database of the service: the one that DATABASE_URL names, else the embedded one of the data folder.
 * Waits up to 30 seconds for an external server. `close` gives the embedded one back.
 * @throws Error in plain words when there is none to be had, it is older than PostgreSQL 15, can't be written to, or does
 *   not keep what is set on a connection.
 */
export async function openDatabase(
  env: Pick<Env, "DATABASE_URL" | "dataDir">,
  log: (line: string) => void = (line) => console.log(line),
): Promise<Database> {
  if (!env.DATABASE_URL) return openPostgres(env, log);
  await waitFor(env.DATABASE_URL, log);
  return { url: env.DATABASE_URL, close: async () => {} };
}

async function waitFor(url: string, log: (line: string) => void): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      await checkVersion(url);
      return await checkSessions(url);
    } catch (error) {
      if (!isPassing(error)) throw explained(url, error);
      if (Date.now() > end)
        throw new Error(
          error instanceof ReadOnlyServer
            ? `The database at ${where(url)} could not be written to for 30 seconds: ${reason(error)}. Name the server that takes writes in DATABASE_URL, or several with target_session_attrs=read-write.`
            : `The database at ${where(url)} could not be reached within 30 seconds: ${reason(error)}.`,
        );
      if (attempt === 1) log(`Waiting for the database at ${where(url)}: ${reason(error)}.`);
    }
    await sleep(500);
  }
}

async function checkVersion(url: string): Promise<void> {
  const client = await connectClient(url, CHECK);
  try {
    const { rows } = await client.query<{ number: number; name: string }>(
      "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
    );
    const [version] = rows;
    if (!version || version.number < OLDEST * 10_000)
      throw new OldServer(
        `The database at ${where(url)} is PostgreSQL ${version?.name}. Heed needs PostgreSQL ${OLDEST} or newer.`,
      );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Enough that a pooler which doesn't keep sessions mixes them up. */
const CONNECTIONS = 3;
const ROUNDS = 4;

/**
 * Is what is set on a connection still there with the next statement? Behind a pooler that gives each transaction
 * another session of the server, connections see what others have set, or lose what they set themselves.
 * @throws SessionNotKept
 */
async function checkSessions(url: string): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    while (clients.length < CONNECTIONS) clients.push(await connectClient(url, CHECK));
    for (let round = 0; round < ROUNDS; round += 1) for (const client of clients) await checkSession(client);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const CHECK = { applicationName: "heed-check", connectTimeoutMs: 5000 };

class OldServer extends Error {}

/** Not there yet, starting up, or full: worth another try. Anything else (password, name, TLS) won't mend itself. */
function isPassing(error: unknown): boolean {
  const code = codeOf(error);
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

function explained(url: string, error: unknown): Error {
  if (error instanceof OldServer) return error;
  if (error instanceof SessionNotKept)
    return new Error(
      `The database at ${where(url)} can't be used: ${error.message}. Heed needs sessions that last as long as its connections: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself.`,
    );
  return new Error(`The database at ${where(url)} can't be used: ${reason(error)}. Check DATABASE_URL.`);
}

function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "it refuses the connection";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name is unknown";
  if (error instanceof ReadOnlyServer) return error.message;
  const message = error instanceof Error ? error.message : "";
  if (message) return code ? `${message} (${code})` : message;
  return code || "no answer";
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? "";
}

/** The server's address without the password. */
const where = describeDatabaseUrl;
