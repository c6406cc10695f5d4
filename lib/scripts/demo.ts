import { randomBytes } from "node:crypto";
import type { ClientBase } from "pg";
import { connectClient } from "#lib/database/connections.ts";
import { parseEnv, type Env } from "#lib/env.ts";
import { checkEncryptionKeysAndCreateMissingSecrets } from "#lib/backup/key-fingerprints.ts";
import type { DemoWorldRows } from "#lib/demo/world.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { parseArgumentsOrExit } from "#lib/command-line/arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/command-line/failure-messages.ts";
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
    await fillWithSampleData(url, { password, deadlineHours: env.RESPONSE_DEADLINE_HOURS });
    await printAccounts(env, password);
  } finally {
    await close();
  }
}

type DemoOptions = { password: string; deadlineHours: number };

async function fillWithSampleData(url: string, { password, deadlineHours }: DemoOptions): Promise<void> {
  const [
    { generateDemoWorldRows },
    { assertEmptyDatabase },
    { hashPassword },
    { COMMAND_PASSWORD_HASHING_LANE },
  ] = await Promise.all([
    import("#lib/demo/world.ts"),
    import("#lib/demo/fill.ts"),
    import("#lib/accounts/passwords.ts"),
    import("#lib/accounts/hash-pool.ts"),
  ]);
  const client = await connectClient(url, { applicationName: "heed-demo", keepsRestoresAway: true });
  try {
    await assertEmptyDatabase(client);
    log("Imagining a world: people, events, and fourteen months of reports.");
    const world = generateDemoWorldRows(new Date(), { deadlineHours });
    await storeWorld(client, world, () => hashPassword(password, COMMAND_PASSWORD_HASHING_LANE));
    log(
      `Wrote ${world.organizations.length} organizations, ${world.events.length} events, ${world.users.length} people, ${world.incidents.length} reports and ${world.files.length} files.`,
    );
  } finally {
    await client.end();
  }
}

/** Stores files first, then the rows that name them; a failure in between removes the files again. */
async function storeWorld(
  client: ClientBase,
  world: DemoWorldRows,
  hash: () => Promise<string>,
): Promise<void> {
  const [
    { fillDatabaseWithDemoData },
    { storeDemoEvidenceFiles, storeDemoLogos },
    { listUploadStorageKeys },
  ] = await Promise.all([
    import("#lib/demo/fill.ts"),
    import("#lib/demo/files.ts"),
    import("#lib/files/evidence.ts"),
  ]);
  const files = await storeDemoEvidenceFiles(world.files);
  const logos = await storeDemoLogos();
  try {
    await fillDatabaseWithDemoData(client, { world, files, logos, passwordHash: await hash() });
  } catch (error) {
    await removeStoredFiles([...listUploadStorageKeys(files), ...[...logos.values()].map(({ key }) => key)]);
    throw error;
  }
}

async function removeStoredFiles(keys: readonly string[]): Promise<void> {
  const { getFileStorage } = await import("#lib/files/storage/storage.ts");
  for (const key of keys) await getFileStorage().remove(key);
}

async function printAccounts(env: Env, password: string): Promise<void> {
  const { PRINTED_DEMO_ACCOUNTS } = await import("#lib/demo/people.ts");
  const width = Math.max(...PRINTED_DEMO_ACCOUNTS.map(({ email }) => email.length));
  log("");
  log(
    `Sign in at ${env.baseUrl}/login with one of these addresses. The password of all of them: ${password}`,
  );
  for (const { email, name, as } of PRINTED_DEMO_ACCOUNTS) log(`  ${email.padEnd(width)}  ${name}, ${as}`);
}
