import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { listStoredFiles } from "#e2e/support/stored-files.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import type { Findings } from "./fault.ts";
import type { Ledger, SentFile, SentReport } from "./load.ts";
import type { Stage } from "./stage.ts";

/** Invariants of everything that was sent, whatever failed meanwhile. */

export type IntegrityCounts = { acknowledged: number; lost: number; half: number; files: number };

/**
 * Compares the service's data with the ledger of sent requests: every acknowledged report exists with its files, none
 * exists in part, history, audit log, counters and notifications agree, and after the sweep the storage holds exactly
 * the files that rows name. Records each difference as a failure. @param swept also runs the sweep, after dating the
 * files back
 */
export async function checkEverything(
  stage: Stage,
  findings: Findings,
  { ledger, swept = true }: { ledger: Ledger; swept?: boolean },
): Promise<IntegrityCounts> {
  const { lost, files } = await checkAcknowledged(stage, findings, ledger.acknowledged);
  const half = await countHalf(stage, findings, ledger);
  await checkMoves(stage, findings, ledger);
  await checkAddedFiles(stage, findings, ledger);
  await checkCounters(stage, findings);
  await checkNotifications(stage, findings);
  await verifyAuditLog(stage, findings);
  if (swept) await checkStorage(stage, findings);
  const counts = { acknowledged: ledger.acknowledged.length, lost, half, files };
  findings.equal("acknowledged reports that are lost", lost, 0);
  findings.equal("reports that are half there", half, 0);
  return counts;
}

/** Checks each acknowledged report over the API: the record, and its files byte by byte. */
export async function checkAcknowledged(
  stage: Stage,
  findings: Findings,
  reports: readonly SentReport[],
): Promise<{ lost: number; files: number }> {
  let lost = 0;
  let files = 0;
  for (const report of reports) {
    const problem = await problemOf(stage, report);
    files += report.files.length;
    if (!problem) continue;
    lost += 1;
    findings.expect(false, `an acknowledged report: ${problem}`);
  }
  return { lost, files };
}

async function problemOf(stage: Stage, report: SentReport): Promise<string | undefined> {
  const { ada, eventId } = stage.cast;
  const at = `/api/events/${eventId}/incidents/${report.id}`;
  const { status, body } = await stage.ask("GET", at, { as: ada });
  if (status !== 200) return `the record responds with ${status}`;
  if (body.incident.title !== report.title) return "the record is another one";
  for (const sent of report.files) {
    const row = body.incident.relatedFiles.find(({ filename }: SentRow) => filename === sent.name);
    if (!row) return `a file is missing (${sent.name})`;
    const fileAt = `${at}/related-files/${row.id}`;
    const problem = await problemOfFile(stage, fileAt, { ...sent, anonymous: report.anonymous });
    if (problem) return problem;
  }
  return undefined;
}

type SentRow = { id: string; filename: string };

/**
 * Returns the problem of a file, if any. A text is stored unchanged; of a photo the cleaned copy is, and the original
 * opens as well. Of an anonymous report's photo, neither the original nor its hash is stored.
 */
async function problemOfFile(
  stage: Stage,
  at: string,
  sent: SentFile & { anonymous: boolean },
): Promise<string | undefined> {
  const { ada } = stage.cast;
  const cleanedOnly = sent.anonymous && sent.name.endsWith(".jpg");
  const [row] = await stage.sql<{ sha256: string; copy: string | null; sealed: boolean }>(
    "select sha256, copy_sha256 as copy, original_key is not null as sealed from related_files where id = $1",
    [at.split("/").at(-1)],
  );
  if (!row) return `${sent.name} has no row`;
  if (cleanedOnly && (row.sealed || row.copy !== null)) return `the original of ${sent.name} is stored`;
  if (cleanedOnly === (row.sha256 === sent.sha256)) return `${sent.name} is stored under the wrong hash`;
  const download = await stage.ask("GET", `${at}/download`, { as: ada });
  if (download.status !== 200) return `${sent.name} responds with ${download.status}`;
  if (sha256(download.bytes) !== (row.copy ?? row.sha256)) return `${sent.name} has other bytes`;
  if (!row.sealed) return undefined;
  const body = { reason: "Is it what was sent?" };
  const original = await stage.ask("POST", `${at}/original`, { as: ada, body });
  return sha256(original.bytes) === sent.sha256 ? undefined : `the original of ${sent.name} has other bytes`;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Counts reports of which a part is missing or exists twice, acknowledged or not. */
async function countHalf(stage: Stage, findings: Findings, ledger: Ledger): Promise<number> {
  const rows = await stage.sql<{ title: string; files: string[]; submitted: number; audited: number }>(
    `select i.title,
       array(select f.filename from related_files f where f.incident_id = i.id) as files,
       (select count(*)::int from incident_history h where h.incident_id = i.id and h.action = 'submitted') as submitted,
       (select count(*)::int from audit_entries a where a.object_id = i.id and a.action = 'incident.create') as audited
     from incidents i`,
  );
  const sent = new Map(ledger.reports.map((report) => [report.title, report]));
  const later = new Set(ledger.added.flatMap(({ files }) => files.map(({ name }) => name)));
  const seen = new Set<string>();
  let half = 0;
  for (const { title, files, submitted, audited } of rows) {
    const wanted = sent.get(title)?.files.map(({ name }) => name);
    const own = files.filter((name) => !later.has(name));
    const whole = wanted && same(own, wanted) && submitted === 1 && audited === 1 && !seen.has(title);
    seen.add(title);
    if (whole) continue;
    half += 1;
    findings.expect(false, `half a report: files ${own.length}, history ${submitted}, audit ${audited}`);
  }
  return half;
}

const same = (some: readonly string[], others: readonly string[]) =>
  some.toSorted().join() === others.toSorted().join();

/** Checks that a status change, its note, its history entry and its audit entry all exist, or none does. */
async function checkMoves(stage: Stage, findings: Findings, ledger: Ledger): Promise<void> {
  const notes = await stage.sql<{ body: string; historyCount: number }>(
    `select n.body, (select count(*)::int from incident_history h where h.object_id = n.id and h.action = 'note') as "historyCount"
     from team_notes n`,
  );
  const savedNotes = new Set(notes.map(({ body }) => body));
  const missing = ledger.moves.filter(({ note, acknowledged }) => acknowledged && !savedNotes.has(note));
  findings.equal("acknowledged moves that are lost", missing.length, 0);
  findings.equal(
    "notes without their history",
    notes.filter(({ historyCount }) => historyCount !== 1).length,
    0,
  );
  const audited = await stage.count("select count(*) from audit_entries where action = 'incident.change'");
  findings.equal("moves in the audit log", audited, notes.length);
}

/** Checks that files added in one request exist all together, or not at all. */
async function checkAddedFiles(stage: Stage, findings: Findings, ledger: Ledger): Promise<void> {
  const rows = await stage.sql<{ name: string; sha256: string; historyCount: number }>(
    `select f.filename as name, f.sha256,
       (select count(*)::int from incident_history h where h.object_id = f.id and h.action = 'file.added') as "historyCount"
     from related_files f`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const { files, acknowledged } of ledger.added) {
    const there = files.filter(({ name }) => found.has(name));
    const whole = there.length === files.length;
    findings.expect(whole || (there.length === 0 && !acknowledged), "files that were added are half there");
    const right = there.every(({ name, sha256 }) => found.get(name)?.sha256 === sha256);
    findings.expect(
      right && there.every(({ name }) => found.get(name)?.historyCount === 1),
      "an added file differs",
    );
  }
}

/** Checks the database's counters against the rows (docs/decisions/005). */
async function checkCounters(stage: Stage, findings: Findings): Promise<void> {
  const states = ["submitted", "acknowledged", "investigating", "resolved", "closed"];
  const storedSums = states.map((state) => `sum(${state})::int as ${state}`).join(", ");
  const counted = states
    .map((state) => `count(*) filter (where state = '${state}')::int as ${state}`)
    .join(", ");
  const [[said], [are]] = await Promise.all([
    stage.sql(`select ${storedSums} from incident_counts`),
    stage.sql(`select ${counted} from incidents`),
  ]);
  findings.equal("counters of reports", said, are);
  const bytes = "select coalesce(sum(bytes), 0) from evidence_usage";
  const stored = "select coalesce(sum(size + coalesce(original_size, 0)), 0) from related_files";
  findings.equal("counter of bytes", await stage.count(bytes), await stage.count(stored));
}

/** Checks that each team member has one notification of every report, and the outbox is empty (docs/decisions/019). */
async function checkNotifications(stage: Stage, findings: Findings): Promise<void> {
  const waiting = () => stage.count("select count(*) from outbox_events");
  await waitUntil("an empty outbox", async () => (await waiting()) === 0).catch(async () =>
    findings.equal("events still in the outbox after 50 seconds", await waiting(), 0),
  );
  const [missing, repeated] = await Promise.all(
    ["= 0", "> 1"].map((times) =>
      stage.count(
        `select count(*) from incidents i, event_roles r
         where r.event_id = i.event_id and r.role_name in ('Admin', 'Responder') and
           (select count(*) from notifications n where n.incident_id = i.id and n.user_id = r.user_id
             and n.kind = 'incident.created') ${times}`,
      ),
    ),
  );
  findings.equal("reports that somebody was not notified of", missing, 0);
  findings.equal("reports that somebody was notified of twice", repeated, 0);
}

/** Runs `npm run audit:verify` on the data folder of the stage. */
export async function verifyAuditLog(stage: Stage, findings: Findings): Promise<void> {
  const program = path.join(PROJECT_ROOT, "lib/scripts/audit-verify.ts");
  const env = { ...process.env, HEED_DATA_DIR: stage.dataDir, DATABASE_URL: stage.databaseUrl };
  const outcome = await promisify(execFile)(process.execPath, [program, "--verbose"], { env }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) => `BROKEN ${error.stdout ?? error.message}`,
  );
  findings.expect(!outcome.includes("BROKEN"), `the audit log: ${outcome.trim()}`);
}

/** Dates stored files and found orphans back, has the service sweep, and compares the folder with the rows. */
async function checkStorage(stage: Stage, findings: Findings): Promise<{ orphans: number }> {
  const before = listStoredFiles(stage.dataDir);
  const long = new Date(Date.now() - 48 * 3600_000);
  // A job may remove what an upload has left.
  for (const file of before) if (fs.existsSync(file)) fs.utimesSync(file, long, long);
  await sweep(stage);
  await stage.sql(
    String.raw`update installation_metadata set value = regexp_replace(value, '"\d{4}-\d\d-\d\d"', '"2026-01-01"', 'g')
      where key = 'orphaned-files'`,
  );
  await sweep(stage);
  const rows = await stage.sql<{ key: string }>(
    "select storage_key as key from related_files union all select original_key from related_files where original_key is not null",
  );
  const after = listStoredFiles(stage.dataDir).map((file) => path.basename(file));
  const extra = after.filter((key) => !rows.some((row) => row.key === key));
  findings.equal("files without a row after the sweep", extra.length, 0);
  findings.equal("rows without a file", rows.filter(({ key }) => !after.includes(key)).length, 0);
  const temporary = path.join(stage.dataDir, "tmp");
  const left = fs.existsSync(temporary) ? fs.readdirSync(temporary) : [];
  findings.equal("folders of uploads that broke off", left.length, 0);
  return { orphans: before.length - after.length };
}

async function sweep(stage: Stage): Promise<void> {
  await stage.sql(
    "select graphile_worker.add_job('sweepOrphans', '{}'::json), graphile_worker.add_job('sweepTemporary', '{}'::json)",
  );
  await waitUntil("the sweep", async () => (await stage.count(SWEEPS)) === 0);
}

const SWEEPS = `select count(*) from graphile_worker.jobs where task_identifier in ('sweepOrphans', 'sweepTemporary')
  and key is null and attempts < max_attempts`;
