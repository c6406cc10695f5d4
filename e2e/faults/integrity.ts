import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { listStoredFiles } from "#e2e/support/stored-files.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import type { SentFile, SentReport } from "./ledger.ts";
import type { Scene } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/** Compares what the service has with what the ledger says that it promised, whatever failed meanwhile. */

/**
 * Checks that every acknowledged report exists with its files, none exists in part, history, audit log, counters and
 * notifications agree, and after the sweep the storage holds exactly the files that rows name.
 */
export async function checkEverything(scene: Scene) {
  const { ledger } = scene;
  const { lost, files } = await checkAcknowledged(scene);
  const incomplete = await countIncomplete(scene);
  await checkMoves(scene);
  await checkAddedFiles(scene);
  await checkCounters(scene);
  await checkNotifications(scene);
  await verifyAuditLog(scene);
  await checkStorage(scene);
  ledger.equal("acknowledged reports that are lost", lost, 0);
  ledger.equal("reports that are incomplete", incomplete, 0);
  return { lost, incomplete, files };
}

/** Counts acknowledged reports, and those without a row. */
export async function countLost({ stage, ledger }: Scene): Promise<string> {
  const there = new Set((await stage.sql<{ id: string }>("select id from incidents")).map(({ id }) => id));
  const lost = ledger.acknowledged.filter(({ id }) => !there.has(id ?? ""));
  return `${ledger.acknowledged.length} / ${lost.length}`;
}

/** Checks acknowledged reports over the API: the record, and its files byte by byte. @param from the first of them */
export async function checkAcknowledged(scene: Scene, from = 0): Promise<{ lost: number; files: number }> {
  const counts = { lost: 0, files: 0 };
  for (const report of scene.ledger.acknowledged.slice(from)) {
    const problem = await findProblem(scene.stage, report);
    counts.files += report.files.length;
    if (!problem) continue;
    counts.lost += 1;
    scene.ledger.expect(false, `an acknowledged report: ${problem}`);
  }
  return counts;
}

async function findProblem(stage: Stage, report: SentReport): Promise<string | undefined> {
  const at = `${stage.incidents}/${report.id}`;
  const { status, body } = await stage.ask("GET", at, { as: stage.cast.ada });
  if (status !== 200) return `the record responds with ${status}`;
  if (body.incident.title !== report.title) return "the record is another one";
  for (const sent of report.files) {
    const row = body.incident.relatedFiles.find(
      ({ filename }: { filename: string }) => filename === sent.name,
    );
    if (!row) return `a file is missing (${sent.name})`;
    const problem = await findProblemOfFile(stage, `${at}/related-files/${row.id}`, { ...sent, ...report });
    if (problem) return problem;
  }
  return undefined;
}

/**
 * Returns the problem of a file, if any. A text is stored unchanged; of a photo the cleaned copy is, and the original
 * opens as well. Of an anonymous report's photo, neither the original nor its hash is stored.
 */
async function findProblemOfFile(
  stage: Stage,
  at: string,
  sent: SentFile & { anonymous: boolean },
): Promise<string | undefined> {
  const as = stage.cast.ada;
  const cleanedOnly = sent.anonymous && sent.name.endsWith(".jpg");
  const [row] = await stage.sql<{ sha256: string; copy: string | null; sealed: boolean }>(
    "select sha256, copy_sha256 as copy, original_key is not null as sealed from related_files where id = $1",
    [at.split("/").at(-1)],
  );
  if (!row) return `${sent.name} has no row`;
  if (cleanedOnly && (row.sealed || row.copy !== null)) return `the original of ${sent.name} is stored`;
  if (cleanedOnly === (row.sha256 === sent.sha256)) return `${sent.name} is stored under the wrong hash`;
  const download = await stage.ask("GET", `${at}/download`, { as });
  if (download.status !== 200) return `${sent.name} responds with ${download.status}`;
  if (sha256(download.bytes) !== (row.copy ?? row.sha256)) return `${sent.name} has other bytes`;
  if (!row.sealed) return undefined;
  const original = await stage.ask("POST", `${at}/original`, {
    as,
    body: { reason: "Is it what was sent?" },
  });
  return sha256(original.bytes) === sent.sha256 ? undefined : `the original of ${sent.name} has other bytes`;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Counts reports of which a part is missing or exists twice, acknowledged or not. */
async function countIncomplete({ stage, ledger }: Scene): Promise<number> {
  const rows = await stage.sql<{ title: string; files: string[]; submitted: number; audited: number }>(
    `select i.title,
       array(select f.filename from related_files f where f.incident_id = i.id) as files,
       (select count(*)::int from incident_history h where h.incident_id = i.id and h.action = 'submitted') as submitted,
       (select count(*)::int from audit_entries a where a.object_id = i.id and a.action = 'incident.create') as audited
     from incidents i`,
  );
  const sent = new Map(ledger.reports.map((report) => [report.title, report]));
  const later = new Set(ledger.added.flatMap(({ files }) => files.map(({ name }) => name)));
  const incomplete = rows.filter(({ title, files, submitted, audited }) => {
    const wanted = sent.get(title)?.files.map(({ name }) => name);
    sent.delete(title);
    const own = files.filter((name) => !later.has(name));
    return wanted?.toSorted().join() !== own.toSorted().join() || submitted !== 1 || audited !== 1;
  });
  for (const row of incomplete) ledger.expect(false, `an incomplete report: ${JSON.stringify(row)}`);
  return incomplete.length;
}

/** Checks that a status change, its note, its history entry and its audit entry all exist, or none does. */
async function checkMoves({ stage, ledger }: Scene): Promise<void> {
  const notes = await stage.sql<{ body: string; histories: number }>(
    `select n.body,
       (select count(*)::int from incident_history h where h.object_id = n.id and h.action = 'note') as histories
     from team_notes n`,
  );
  const saved = new Set(notes.map(({ body }) => body));
  const lost = ledger.moves.filter(({ note, acknowledged }) => acknowledged && !saved.has(note));
  ledger.equal("acknowledged moves that are lost", lost.length, 0);
  ledger.equal("notes without their history", notes.filter(({ histories }) => histories !== 1).length, 0);
  const audited = await stage.count("select count(*) from audit_entries where action = 'incident.change'");
  ledger.equal("moves in the audit log", audited, notes.length);
}

/** Checks that files added in one request exist all together, or not at all. */
async function checkAddedFiles({ stage, ledger }: Scene): Promise<void> {
  const rows = await stage.sql<{ name: string; sha256: string; histories: number }>(
    `select f.filename as name, f.sha256, (select count(*)::int from incident_history h
       where h.object_id = f.id and h.action = 'file.added') as histories
     from related_files f`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const { files, acknowledged } of ledger.added) {
    const there = files.filter(({ name }) => found.has(name));
    const whole = there.length === files.length || (there.length === 0 && !acknowledged);
    ledger.expect(whole, "of files that were added together some are missing");
    const right = there.every(({ name, sha256: sent }) => {
      const row = found.get(name);
      return row?.sha256 === sent && row.histories === 1;
    });
    ledger.expect(right, "an added file differs");
  }
}

/** Checks the database's counters against the rows (docs/decisions/005). */
async function checkCounters({ stage, ledger }: Scene): Promise<void> {
  const states = ["submitted", "acknowledged", "investigating", "resolved", "closed"];
  const stored = states.map((state) => `sum(${state})::int as ${state}`).join(", ");
  const counted = states.map((state) => `count(*) filter (where state = '${state}')::int as ${state}`);
  const [one] = await stage.sql(`select ${stored} from incident_counts`);
  const [other] = await stage.sql(`select ${counted.join(", ")} from incidents`);
  ledger.equal("counters of reports", one, other);
}

/** Checks that each team member has one notification of every report, and the outbox is empty (docs/decisions/019). */
async function checkNotifications({ stage, ledger }: Scene): Promise<void> {
  const waiting = () => stage.count("select count(*) from outbox_events");
  await waitUntil("an empty outbox", async () => (await waiting()) === 0).catch(async () =>
    ledger.equal("events still in the outbox after 50 seconds", await waiting(), 0),
  );
  const wrong = await stage.sql(
    `select i.title, r.user_id, count(n.id)::int as notifications from incidents i
     join event_roles r on r.event_id = i.event_id and r.role_name in ('Admin', 'Responder')
     left join notifications n on n.incident_id = i.id and n.user_id = r.user_id and n.kind = 'incident.created'
     group by 1, 2 having count(n.id) <> 1`,
  );
  ledger.equal("people who were not notified of a report, or twice", wrong, []);
}

/** Runs `npm run audit:verify` on the data folder of the stage. */
async function verifyAuditLog({ stage, ledger }: Scene): Promise<void> {
  const program = path.join(PROJECT_ROOT, "lib/scripts/audit-verify.ts");
  const env = { ...process.env, HEED_DATA_DIR: stage.dataDir, DATABASE_URL: stage.databaseUrl };
  const outcome = await promisify(execFile)(process.execPath, [program, "--verbose"], { env }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) => `BROKEN ${error.stdout ?? error.message}`,
  );
  ledger.expect(!outcome.includes("BROKEN"), `the audit log: ${outcome.trim()}`);
}

/** Compares the storage with the rows; a folder only after a sweep, for which files and found orphans are dated back. */
async function checkStorage({ stage, ledger }: Scene): Promise<void> {
  if (!stage.bucket) {
    const long = new Date(Date.now() - 48 * 3600_000);
    // A job may remove what an upload has left.
    for (const file of listStoredFiles(stage.dataDir))
      if (fs.existsSync(file)) fs.utimesSync(file, long, long);
    await sweep(stage);
    await stage.sql(
      String.raw`update installation_metadata set value = regexp_replace(value, '"\d{4}-\d\d-\d\d"', '"2026-01-01"', 'g')
        where key = 'orphaned-files'`,
    );
    await sweep(stage);
  }
  const rows = await stage.sql<{ key: string }>(
    `select storage_key as key from related_files
     union all select original_key from related_files where original_key is not null`,
  );
  const keys = stage.bucket?.keys ?? listStoredFiles(stage.dataDir).map((file) => path.basename(file));
  const extra = keys.filter((key) => !rows.some((row) => row.key === key));
  if (stage.bucket) ledger.figure("Objects without a row, left to the sweep", extra.length);
  else ledger.equal("files without a row after the sweep", extra.length, 0);
  ledger.equal("rows without a file", rows.filter(({ key }) => !keys.includes(key)).length, 0);
  const temporary = path.join(stage.dataDir, "tmp");
  const left = fs.existsSync(temporary) ? fs.readdirSync(temporary) : [];
  if (!stage.bucket) ledger.equal("folders of uploads that broke off", left.length, 0);
}

async function sweep(stage: Stage): Promise<void> {
  await stage.sql(
    "select graphile_worker.add_job('sweepOrphans', '{}'::json), graphile_worker.add_job('sweepTemporary', '{}'::json)",
  );
  const waiting = `select count(*) from graphile_worker.jobs where task_identifier in ('sweepOrphans', 'sweepTemporary')
    and key is null and attempts < max_attempts`;
  await waitUntil("the sweep", async () => (await stage.count(waiting)) === 0);
}
