import fs from "node:fs";
import { parseEnv, type Env } from "#lib/env.ts";
import { ArchiveReader } from "#lib/backup/archive.ts";
import {
  createBrokenChainFinding,
  computeExitCode,
  formatInspectionLines,
  type AuditInspection,
} from "#lib/audit/findings.ts";
import type { CheckpointLinesOfSource } from "#lib/audit/inspect.ts";
import { loadDerivedAuditKeys, formatPublicKeyPem } from "#lib/audit/keys.ts";
import type { AuditChainVerificationResult } from "#lib/audit/verify.ts";
import { parseArgumentsOrExit } from "#lib/command-line/arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/command-line/failure-messages.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * `npm run audit:verify`: recomputes the hash chains of the audit log and compares them with their seals and with the
 * signed checkpoints in the database, in the data folder and in files kept elsewhere. Read-only; works while the
 * service runs.
 */

const USAGE = `npm run audit:verify [-- OPTIONS]

  --expect FILE      Compare with checkpoints that were kept elsewhere: a file of lines of JSON (the
                     attachment of a mail, what was posted, a file of audit-checkpoints/), or a backup.
                     May be given several times.
  --trust KEY        A public key to trust beside those of this installation, such as a former one.
                     May be given several times.
  --public-key       Print the public key that verifies checkpoints, and end.
  --verbose          Print every chain and note, also when all is well.
  --help             Print this, and end.

Prints nothing and ends with 0 when everything is as it was written, else with the number of the first of these that it finds:
  6  FORKED     the log was continued in two ways
  4  REWRITTEN  an entry is not the one that was sealed or signed
  5  CUT        entries that were sealed or signed are gone
  3  BROKEN     entries don't fit one another
  7  FORGED     a seal or a signature was not made with a key of this installation
  8  MISSING    seals or checkpoints are gone
  9  UNSEALED   entries are older than a minute and not sealed
  1  the log can't be verified; 2 an option makes no sense`;

const options = parseArgumentsOrExit(
  {
    expect: { type: "string", multiple: true, default: [] },
    trust: { type: "string", multiple: true, default: [] },
    "public-key": { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
  USAGE,
);

try {
  const env = parseEnv(process.env);
  if (options["public-key"]) printPublicKeys(env);
  else process.exitCode = await verifyAuditLog(env);
} catch (error) {
  console.error(describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder"));
  process.exitCode = 1;
}

/** The first line is the key that signs. */
function printPublicKeys(env: Env): void {
  const keys = loadDerivedAuditKeys(env);
  if (keys.length === 0) throw new Error(formatMissingKey(env));
  for (const { publicKey } of keys) console.log(publicKey);
  console.log(formatPublicKeyPem(keys[0]?.publicKey ?? "").trim());
}

function formatMissingKey({ dataDir }: Env): string {
  return `There is no secrets/data.key in ${dataDir}, and AUDIT_KEYS is not set. Set HEED_DATA_DIR to the folder of the service.`;
}

/** @returns the exit code */
async function verifyAuditLog(env: Env): Promise<number> {
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const expected = await readExpected(options.expect);
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    // Reading a long log takes longer than a request may.
    const patient = { DATABASE_STATEMENT_MS: "600000" };
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir, ...patient });
    return await verifyChains(env, expected);
  } finally {
    await close();
  }
}

async function verifyChains(env: Env, expected: CheckpointLinesOfSource[]): Promise<number> {
  const [{ verifyAuditChains }, { inspectAuditSealsAndCheckpoints }, { disconnectDatabase }] =
    await loadModules();
  try {
    const results = await verifyAuditChains();
    const broken = results.filter(({ ok }) => !ok).map(createBrokenChainFinding);
    if (loadDerivedAuditKeys(env).length === 0) {
      printReport(results, { findings: broken, notes: [] });
      throw new Error(`The seals can't be verified. ${formatMissingKey(env)}`);
    }
    const input = { env, expected, publicKeys: options.trust, results };
    const { findings, notes } = await inspectAuditSealsAndCheckpoints(input);
    printReport(results, { findings: [...broken, ...findings], notes });
    return computeExitCode([...broken, ...findings]);
  } catch (error) {
    const { findDatabaseErrorCode } = await import("#lib/operation/errors.ts");
    if (findDatabaseErrorCode(error) === "42P01")
      throw new Error("This database holds no audit log: the service never ran on it.");
    throw error;
  } finally {
    await disconnectDatabase();
  }
}

function printReport(results: AuditChainVerificationResult[], inspection: AuditInspection): void {
  if (inspection.findings.length === 0 && !options.verbose) return;
  for (const line of formatInspectionLines(results, inspection)) console.log(line);
}

/** The database client is generated; without it these modules can't be loaded. */
async function loadModules() {
  try {
    return await Promise.all([
      import("#lib/audit/verify.ts"),
      import("#lib/audit/inspect.ts"),
      import("#lib/database/client.ts"),
    ]);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error('The database client is missing. Run "npm run build" once, then this again.', {
      cause: error,
    });
  }
}

/** Reads checkpoints from files. @throws Error in plain words when a file can't be read or holds no checkpoint */
async function readExpected(files: string[]): Promise<CheckpointLinesOfSource[]> {
  const expected: CheckpointLinesOfSource[] = [];
  for (const file of files) {
    const lines = await readLines(file);
    if (lines.length === 0) throw new Error(`${file} holds no checkpoint.`);
    expected.push({ source: file, lines });
  }
  return expected;
}

async function readLines(file: string): Promise<string[]> {
  if (!fs.existsSync(file)) throw new Error(`${file} is not there.`);
  const handle = fs.openSync(file, "r");
  const start = Buffer.alloc(2);
  fs.readSync(handle, start);
  fs.closeSync(handle);
  if (start.toString() === "PK") return readBackup(file);
  return listNonEmptyLines(fs.readFileSync(file, "utf8"));
}

/** Returns the checkpoints in a backup. */
async function readBackup(file: string): Promise<string[]> {
  const archive = await ArchiveReader.open(file);
  try {
    const rows = listNonEmptyLines(await archive.text("tables/public.audit_checkpoints.jsonl"));
    return rows.map((row) => (JSON.parse(row) as { line: string }).line);
  } finally {
    archive.close();
  }
}

function listNonEmptyLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
