import path from "node:path";
import { parseEnv, type Env } from "#lib/env.ts";
import { checkEncryptionKeysAndCreateMissingSecretsAtUrl } from "#lib/backup/key-fingerprints.ts";
import { deleteRestoredRetentionNotices } from "#lib/backup/retention-notices.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { tryAcquireFileLock } from "#lib/process-lock.ts";
import { connectClient } from "#lib/database/connections.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * `npm run audit:anchor`: goes on from the audit log as it is, after its key was lost or the database was restored by
 * other means than `npm run restore`.
 */

const USAGE = `npm run audit:anchor -- [--restored-from TIME]

Goes on from the audit log as it is now, with an entry that says so and names heads and keys that are lost.

  --restored-from TIME  The database was restored from a copy of this time (2026-05-04T09:30:00Z), by other
                        means than npm run restore. What was written after it is no longer expected, and
                        teams are notified again before the rules delete any report.
  --help                Print this, and end.

Stop the service first. Run audit:verify before: after this, entries of a lost key are only noted.`;

const options = parseArgumentsOrExit({ "restored-from": { type: "string" } }, USAGE);

try {
  await anchorAuditLog(parseEnv(process.env), options["restored-from"]);
} catch (error) {
  console.error(describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder"));
  process.exitCode = 1;
}

async function anchorAuditLog(env: Env, restoredFrom: string | undefined): Promise<void> {
  const takenAt = restoredFrom === undefined ? undefined : new Date(restoredFrom);
  if (takenAt && Number.isNaN(takenAt.getTime()))
    throw new Error("--restored-from should be a time such as 2026-05-04T09:30:00Z.");
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const release = tryAcquireFileLock(path.join(env.dataDir, "run", "service.lock"));
  if (!release) throw new Error(`Heed runs on ${env.dataDir}. Stop it first.`);
  process.once("exit", release);
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    await checkEncryptionKeysAndCreateMissingSecretsAtUrl(url, env);
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
    const [{ acceptAuditLog }, { disconnectDatabase }] = await Promise.all([
      import("#lib/audit/acceptances.ts"),
      import("#lib/database/client.ts"),
    ]);
    // First: a start after an interruption would delete reports by the notices that the copy brought back.
    if (takenAt) await deleteRetentionNoticesAtUrl(url);
    const accepted = await acceptAuditLog(takenAt?.toISOString()).finally(disconnectDatabase);
    const chains = accepted.chains === 1 ? "1 chain goes" : `${accepted.chains} chains go`;
    console.log(
      `${chains} on as they are, ${accepted.lost} of them shortened. Start the service with npm start.`,
    );
  } finally {
    await close();
  }
}

async function deleteRetentionNoticesAtUrl(url: string): Promise<void> {
  const client = await connectClient(url, { applicationName: "heed-anchor", keepsRestoresAway: true });
  try {
    await deleteRestoredRetentionNotices(client);
  } finally {
    await client.end();
  }
}
