import { parseEnv, type Env } from "../env.ts";
import type { ChainReport } from "../audit/verify.ts";
import { openDatabase } from "./database.ts";
import { existingPlace } from "./postgres-place.ts";

/**
 * `npm run audit:verify`: recomputes the hash chains of the audit log, one line a chain. Ends with 1 when one of them
 * is broken, or can't be read. Reads only; a running service goes on beside it.
 */

try {
  const reports = await verify(parseEnv(process.env));
  for (const report of reports) console.log(lineOf(report));
  if (reports.length === 0) console.log("The audit log is empty.");
  if (reports.some(({ ok }) => !ok)) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function verify(env: Env): Promise<ChainReport[]> {
  if (!env.DATABASE_URL && !existingPlace(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const { url, close } = await openDatabase(env);
  try {
    // A long log takes longer than a request may.
    const patient = { DATABASE_STATEMENT_MS: "600000" };
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir, ...patient });
    return await readChains();
  } finally {
    await close();
  }
}

async function readChains(): Promise<ChainReport[]> {
  const [{ verifyAudit }, { disconnect }] = await load();
  try {
    return await verifyAudit();
  } catch (error) {
    const { databaseCode } = await import("../errors.ts");
    if (databaseCode(error) === "42P01")
      throw new Error("This database holds no audit log: the service never ran on it.");
    throw error;
  } finally {
    await disconnect();
  }
}

/** The database client is generated; without it there is nothing to load. */
async function load() {
  try {
    return await Promise.all([import("../audit/verify.ts"), import("../db.ts")]);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error('The database client is missing. Run "npm run build" once, then this again.', {
      cause: error,
    });
  }
}

function lineOf({ chain, entries, ok, brokenAt }: ChainReport): string {
  const name = chain === "system" ? "system" : `organization ${chain}`;
  const count = entries === 1 ? "1 entry" : `${entries} entries`;
  return ok
    ? `ok      ${name}: ${count}`
    : `BROKEN  ${name}: ${count}, the first that does not fit is number ${brokenAt}`;
}
