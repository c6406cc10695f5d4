import { randomBytes } from "node:crypto";
import { parseEnv, type Env } from "#lib/env.ts";
import { checkEncryptionKeysAndCreateMissingSecrets } from "#lib/backup/key-fingerprints.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { withMigrationLock, migrateOnLockedConnection, MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * `npm run demo`: fills an empty database with sample data, whether or not the service runs, and prints the accounts
 * with a password generated for this run. In production mode it requires `--yes`.
 */

const log = (line: string) => console.log(line);

const USAGE = `npm run demo [-- --yes]
Fills an empty database with sample data, and prints the accounts.
  --yes  also where BASE_URL is set`;
const options = parseArgumentsOrExit({ yes: { type: "boolean", default: false } }, USAGE);

const REFUSED_IN_PRODUCTION = `BASE_URL is set, so this is a production installation. The demo adds made-up people and reports to it, which nothing removes again.
To do so all the same, run: npm run demo -- --yes`;

try {
  await runDemo(parseEnv(process.env));
} catch (error) {
  console.error(describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder"));
  process.exitCode = 1;
}

async function runDemo(env: Env): Promise<void> {
  if (env.production && !options.yes) throw new Error(REFUSED_IN_PRODUCTION);
  ensureSessionSecret(env);
  const { url, close } = await startOrAwaitDatabase(env, log);
  try {
    await withMigrationLock(url, log, async (client) => {
      await migrateOnLockedConnection(client, url, { log, folder: MIGRATIONS_FOLDER });
      await checkEncryptionKeysAndCreateMissingSecrets(client, env);
    });
    // Modules loaded from here on read the environment themselves, from the folder of the service.
    process.chdir(PROJECT_ROOT);
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
    const password = randomBytes(12).toString("base64url");
    await fillWithSampleData(password, env.RESPONSE_DEADLINE_HOURS);
    await printAccounts(env, password);
  } finally {
    await close();
  }
}

async function fillWithSampleData(password: string, deadlineHours: number): Promise<void> {
  const [{ buildDemoWorld }, { assertEmptyDatabase, loadDemoWorld }, database, passwords, lanes] =
    await Promise.all([
      import("#lib/demo/world.ts"),
      import("#lib/demo/load.ts"),
      import("#lib/database/client.ts"),
      import("#lib/accounts/passwords.ts"),
      import("#lib/accounts/hash-pool.ts"),
    ]);
  try {
    await assertEmptyDatabase(database.prisma);
    log("Filling the database: people, events, and fourteen months of reports.");
    const passwordHash = await passwords.hashPassword(password, lanes.COMMAND_PASSWORD_HASHING_LANE);
    const world = buildDemoWorld(new Date(), { deadlineHours, passwordHash });
    await loadDemoWorld(world);
    const { organizations, events, users, incidents } = world.rows;
    log(
      `Wrote ${organizations.length} organizations, ${events.length} events, ${users.length} people, ${incidents.length} reports and ${world.files.length} files.`,
    );
  } finally {
    await database.disconnectDatabase();
  }
}

async function printAccounts(env: Env, password: string): Promise<void> {
  const { DEMO_ACCOUNTS } = await import("#lib/demo/data.ts");
  const width = Math.max(...DEMO_ACCOUNTS.map(({ email }) => email.length));
  log("");
  log(
    `Sign in at ${env.baseUrl}/login with one of these addresses. The password of all of them: ${password}`,
  );
  for (const { email, name, as } of DEMO_ACCOUNTS) log(`  ${email.padEnd(width)}  ${name}, ${as}`);
}
