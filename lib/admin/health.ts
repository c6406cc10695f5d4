import { statfs } from "node:fs/promises";
import packageFile from "../../package.json" with { type: "json" };
import type { HealthRecord } from "#lib/admin/schema.ts";
import { countFiles } from "#lib/admin/stats.ts";
import { db } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { storage } from "#lib/files/storage.ts";
import { PRESENCE_LOCK } from "#lib/advisory-locks.ts";

/**
 * How the installation is: database, storage, mail, jobs and disk. What has failed is told as such and
 * fails nothing else. No address, path or secret is in it.
 */
export async function readHealth(): Promise<HealthRecord> {
  const [database, files, queue, backup, disk] = await Promise.all([
    databaseHealth(),
    storageHealth(),
    queueHealth(),
    lastBackup(),
    diskHealth(),
  ]);
  const parts = [database.status, files.status, queue.jobs.status, disk?.status ?? "ok"];
  return {
    status: parts.every((status) => status === "ok") ? "ok" : "failed",
    version: packageFile.version,
    node: process.versions.node,
    startedAt: new Date(Date.now() - process.uptime() * 1000),
    uptime: Math.floor(process.uptime()),
    database,
    storage: files,
    mail: { configured: env().SMTP_URL !== undefined, ...queue.mail },
    jobs: queue.jobs,
    backup,
    disk,
  };
}

async function databaseHealth(): Promise<HealthRecord["database"]> {
  const begun = performance.now();
  await db.$queryRaw`select 1`;
  const milliseconds = Math.round((performance.now() - begun) * 10) / 10;
  type Row = { version: string; bytes: bigint; applied: number; latest: string | null; unfinished: number };
  const [row] = await db.$queryRaw<Row[]>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      count(*) filter (where finished_at is not null)::int as applied,
      max(migration_name) filter (where finished_at is not null) as latest,
      count(*) filter (where finished_at is null)::int as unfinished
    from _prisma_migrations where rolled_back_at is null`;
  const { version = "", bytes = 0n, applied = 0, latest = null, unfinished = 0 } = row ?? {};
  const migrations = { applied, latest, unfinished };
  const status = unfinished === 0 ? "ok" : "failed";
  return { status, version, milliseconds, bytes: Number(bytes), migrations };
}

async function storageHealth(): Promise<HealthRecord["storage"]> {
  const [status, { count, bytes }] = await Promise.all([outcomeOf(storage().check()), countFiles()]);
  return { status, kind: env().S3_URL ? "s3" : "disk", files: count, bytes };
}

const outcomeOf = (work: Promise<unknown>): Promise<"ok" | "failed"> =>
  work.then(
    () => "ok",
    () => "failed",
  );

type Queue = Pick<HealthRecord, "jobs"> & { mail: Omit<HealthRecord["mail"], "configured"> };

/**
 * A job waits from when it is due, and has failed once every try is used up; what is still to be told is a job, too.
 * Each worker holds the lock.
 */
async function queueHealth(): Promise<Queue> {
  type Row = {
    mailWaiting: number;
    oldestMail: Date | null;
    mailFailed: number;
    waiting: number;
    failed: number;
    workers: number;
  };
  const [row] = await db.$queryRaw<Row[]>`
    with job as (
      select t.identifier like 'mail.%' as mail, j.created_at, j.attempts >= j.max_attempts as failed,
        j.attempts < j.max_attempts and (j.run_at <= now() or j.attempts > 0) as waiting
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    )
    select count(*) filter (where mail and waiting)::int as "mailWaiting",
      min(created_at) filter (where mail and waiting) as "oldestMail",
      count(*) filter (where mail and failed)::int as "mailFailed",
      (count(*) filter (where waiting) + (select count(*) from untold_facts))::int as waiting, count(*) filter (where failed)::int as failed,
      (select count(*)::int from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.classid = 0 and l.objid = ${PRESENCE_LOCK}::int8::oid
        and l.database = (select oid from pg_database where datname = current_database())) as workers
    from job`;
  const {
    mailWaiting = 0,
    oldestMail = null,
    mailFailed = 0,
    waiting = 0,
    failed = 0,
    workers = 0,
  } = row ?? {};
  return {
    mail: { waiting: mailWaiting, oldestWaitingAt: oldestMail, failed: mailFailed },
    jobs: { status: workers > 0 ? "ok" : "failed", workers, waiting, failed },
  };
}

/** Other ways to back up leave no trace here, so none is no failure. */
async function lastBackup(): Promise<HealthRecord["backup"]> {
  const [row] = await db.$queryRaw<{ value: string }[]>`
    select value from installation_facts where key = 'last-backup'`;
  return { lastAt: row ? new Date(row.value) : null };
}

/** Below this uploads, and a database on the same disk, are about to fail. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024;

async function diskHealth(): Promise<HealthRecord["disk"]> {
  const found = await statfs(env().dataDir).catch(() => null);
  if (!found) return null;
  const freeBytes = found.bavail * found.bsize;
  const status = freeBytes >= LEAST_FREE_BYTES ? "ok" : "failed";
  return { status, freeBytes, totalBytes: found.blocks * found.bsize };
}
