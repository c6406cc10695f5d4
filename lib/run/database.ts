import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Env } from "../env.ts";
import { openPostgres } from "./postgres.ts";

export type Database = { url: string; close(): Promise<void> };

const OLDEST = 15;
const PATIENCE_MS = 30_000;

/**
 * The database of the service: the one that DATABASE_URL names, else the embedded one of the data folder.
 * Waits up to 30 seconds for an external server. `close` gives the embedded one back.
 * @throws Error in plain words when there is none to be had, or it is older than PostgreSQL 15.
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
      return await checkVersion(url);
    } catch (error) {
      if (!isPassing(error)) throw explained(url, error);
      if (Date.now() > end)
        throw new Error(
          `The database at ${where(url)} could not be reached within 30 seconds: ${reason(error)}.`,
        );
      if (attempt === 1) log(`Waiting for the database at ${where(url)}: ${reason(error)}.`);
    }
    await sleep(500);
  }
}

async function checkVersion(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  try {
    await client.connect();
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
      "57P03",
      "53300",
    ].includes(code)
  )
    return true;
  return code === "" && /timeout|terminated/i.test(String(error));
}

function explained(url: string, error: unknown): Error {
  if (error instanceof OldServer) return error;
  return new Error(`The database at ${where(url)} can't be used: ${reason(error)}. Check DATABASE_URL.`);
}

function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "it refuses the connection";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name is unknown";
  return error instanceof Error && error.message ? error.message : code || "no answer";
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? "";
}

/** The server's address without the password. */
function where(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get("host") ?? host}${pathname}`;
}
