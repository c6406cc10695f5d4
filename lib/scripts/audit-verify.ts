import fs from "node:fs";
import { parseEnv, type Env } from "#lib/env.ts";
import { ArchiveReader } from "#lib/backup/archive.ts";
import { readManifest } from "#lib/backup/manifest.ts";
import { computeExitCode, formatFindingLine, formatVerification } from "#lib/audit/findings.ts";
import type { AuditHead } from "#lib/audit/heads.ts";
import { formatPublicKeyPem, loadAuditKeys } from "#lib/audit/keys.ts";
import type { KnownAuditHeads } from "#lib/audit/verify.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * `npm run audit:verify`: recomputes the MAC of each entry of the audit log, and compares the chains with the heads in the
 * data folder and in files kept elsewhere. Read-only; works while the service runs.
 */

const USAGE = `npm run audit:verify [-- OPTIONS]

  --expect FILE      Compare with heads that were kept elsewhere: attachments of the nightly mails, one line
                     each, or a backup. May be given several times.
  --public-key       Print the public key that verifies heads, and end.
  --verbose          Print every chain and note, also when all is well.
  --help             Print this, and end.

Prints nothing and ends with 0 when everything is as it was written, else with the number of the first of these that it finds:
  6  FORKED     the log was continued in two ways
  4  REWRITTEN  an entry is not as the service wrote it
  5  CUT        entries are gone
  7  FORGED     an entry or heads have a key that is not this installation's
  1  the log can't be verified; 2 an option makes no sense`;

const options = parseArgumentsOrExit(
  {
    expect: { type: "string", multiple: true, default: [] },
    "public-key": { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
  USAGE,
);

try {
  const env = parseEnv(process.env);
  if (options["public-key"]) printPublicKeys(env);
  else process.exitCode = await verify(env);
} catch (error) {
  console.error(describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder"));
  process.exitCode = 1;
}

/** The first line is the key that signs. */
function printPublicKeys(env: Env): void {
  const keys = requireKeys(env);
  for (const { publicKey } of keys) console.log(publicKey);
  console.log(formatPublicKeyPem(keys[0]?.publicKey ?? "").trim());
}

function requireKeys(env: Env) {
  const keys = loadAuditKeys(env);
  if (keys.length > 0) return keys;
  throw new Error(
    `There is no secrets/data.key in ${env.dataDir}, and AUDIT_KEYS is not set. Set HEED_DATA_DIR to the folder of the service.`,
  );
}

/** @returns the exit code */
async function verify(env: Env): Promise<number> {
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  requireKeys(env);
  for (const file of options.expect) if (!fs.existsSync(file)) throw new Error(`${file} is not there.`);
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    // Reading a long log takes longer than a request may.
    const patient = { DATABASE_STATEMENT_MS: "600000" };
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir, ...patient });
    return await verifyChains(env);
  } finally {
    await close();
  }
}

async function verifyChains(env: Env): Promise<number> {
  const [{ verifyAuditLog }, { listAcceptances }, { parseHeads }, { disconnectDatabase }] =
    await loadModules();
  try {
    const expected: KnownAuditHeads[] = [];
    const forged: string[] = [];
    for (const source of options.expect) {
      if (isArchive(source)) {
        expected.push(await readBackup(source));
        continue;
      }
      const lines = listNonEmptyLines(fs.readFileSync(source, "utf8"));
      const parsed = lines.map((line) => parseHeads(line, loadAuditKeys(env)));
      if (parsed.length === 0 || parsed.includes(undefined))
        throw new Error(`${source} holds lines that are no heads, or none at all.`);
      for (const one of parsed) {
        if (one?.genuine) expected.push({ source, ...one.heads });
        else forged.push(`heads of ${one?.heads.at} in ${source} were not signed with a key of ours`);
      }
    }
    const results = await verifyAuditLog(expected);
    const findings = results.flatMap((result) => result.findings);
    const kinds = [...findings.map(({ kind }) => kind), ...forged.map(() => "forged" as const)];
    if (kinds.length > 0 || options.verbose)
      for (const line of [
        ...forged.map((text) => formatFindingLine("forged", text)),
        ...formatVerification(results, await listAcceptances()),
      ])
        console.log(line);
    return computeExitCode(kinds);
  } catch (error) {
    const { findDatabaseErrorCode } = await import("#lib/operation/errors.ts");
    if (findDatabaseErrorCode(error) === "42P01")
      throw new Error("This database holds no audit log: the service never ran on it.");
    throw error;
  } finally {
    await disconnectDatabase();
  }
}

/** The database client is generated; without it these modules can't be loaded. */
async function loadModules() {
  try {
    return await Promise.all([
      import("#lib/audit/verify.ts"),
      import("#lib/audit/acceptances.ts"),
      import("#lib/audit/heads.ts"),
      import("#lib/database/client.ts"),
    ]);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error('The database client is missing. Run "npm run build" once, then this again.', {
      cause: error,
    });
  }
}

function isArchive(file: string): boolean {
  const handle = fs.openSync(file, "r");
  const start = Buffer.alloc(2);
  fs.readSync(handle, start);
  fs.closeSync(handle);
  return start.toString() === "PK";
}

/** Returns the heads in a backup. */
async function readBackup(source: string): Promise<KnownAuditHeads> {
  const archive = await ArchiveReader.open(source);
  try {
    const { takenAt } = await readManifest(archive);
    const rows = listNonEmptyLines(await archive.text("tables/public.audit_chains.jsonl"));
    const heads = rows.map((row) => JSON.parse(row) as AuditHead).filter(({ seq }) => seq > 0);
    return { source, at: takenAt, heads };
  } finally {
    archive.close();
  }
}

function listNonEmptyLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
