import { parseEnv, type Env } from "#lib/env.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * `npm run confirm-email -- --email sam@example.org`: confirms an account's email address without its link, for the
 * first administrator of an installation whose mail doesn't work yet. Whoever can run this controls the database
 * anyway; the audit log records it.
 */

const USAGE = "npm run confirm-email -- --email <address of the account>";
const { email = "" } = parseArgumentsOrExit({ email: { type: "string" } }, USAGE);

try {
  if (!email.trim()) throw new Error(USAGE);
  console.log(await confirmAccountEmail(parseEnv(process.env)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function confirmAccountEmail(env: Env): Promise<string> {
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
    const [{ confirmEmailAsOperator }, { disconnectDatabase }] = await Promise.all([
      import("#lib/accounts/email-verification.ts"),
      import("#lib/database/client.ts"),
    ]);
    const outcome = await confirmEmailAsOperator(email.trim().toLowerCase()).finally(disconnectDatabase);
    if (outcome === "unknown") throw new Error("No account has this address.");
    return outcome === "confirmed"
      ? "The address is confirmed. All roles of the account count from now on."
      : "The address was confirmed before.";
  } finally {
    await close();
  }
}
