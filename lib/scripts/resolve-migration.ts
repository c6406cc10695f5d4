import pg from "pg";
import { parseEnv, type Env } from "#lib/env.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * `node lib/scripts/resolve-migration.ts --name NAME --as applied|undone`: records the outcome of a migration that
 * another tool left half done, once the database has been repaired by hand. It changes the record, not the tables.
 */

const USAGE = "node lib/scripts/resolve-migration.ts --name NAME --as applied|undone";
const { name, as } = parseArgumentsOrExit({ name: { type: "string" }, as: { type: "string" } }, USAGE);

if (!name || (as !== "applied" && as !== "undone")) {
  console.error(USAGE);
  process.exit(2);
}

try {
  await resolveMigration(parseEnv(process.env));
  console.log(`The migration ${name} counts as ${as}. Start the service.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function resolveMigration(env: Env): Promise<void> {
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    if (!(await recordResolution(url)))
      throw new Error(`No migration named ${name} is half done in this database. Nothing was changed.`);
  } finally {
    await close();
  }
}

/** @returns whether a migration of this name was half done */
async function recordResolution(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: "heed-resolve-migration" });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `update public._prisma_migrations set finished_at = case when $2 = 'applied' then now() end,
         rolled_back_at = case when $2 = 'undone' then now() end
       where migration_name = $1 and finished_at is null and rolled_back_at is null`,
      [name, as],
    );
    return rowCount === 1;
  } finally {
    await client.end().catch(() => {});
  }
}
