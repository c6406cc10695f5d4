import { statfs } from "node:fs/promises";
import { MIN_FAILING_TRIES, type SystemHealthRecord, type QueueRecord } from "#lib/admin/schema.ts";
import { countEvidenceProblems } from "#lib/evidence/integrity.ts";
import { countVisibleFiles } from "#lib/admin/stats-queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { WORKER_PRESENCE_LOCK } from "#lib/database/advisory-locks.ts";
import { listRecentExposureWarnings } from "#lib/health/exposure-warnings.ts";
import { UNDELIVERABLE_MARKER } from "#lib/jobs/outcomes.ts";
import { JOB_QUEUES, type JobQueue } from "#lib/jobs/queues.ts";
import { VERSION } from "#lib/version.ts";

/**
 * Loads the health of the installation: database, storage, mail, jobs and disk. A failed part is reported without
 * failing the others. Contains no address, path or secret.
 */
export async function loadHealth({
  hiddenIncidentIds: hidden,
}: Pick<Actor, "hiddenIncidentIds">): Promise<SystemHealthRecord> {
  const [database, files, evidence, queue, backup, audit, disk, warnings] = await Promise.all([
    readDatabaseHealth(),
    readStorageHealth(hidden),
    readEvidenceHealth(hidden),
    loadQueueHealth(),
    loadLastBackup(),
    readAuditHealth(),
    readDiskHealth(),
    listRecentExposureWarnings(),
  ]);
  const checked = [database, files, evidence, queue.mail, queue.jobs, audit, disk];
  const parts = checked.map((part) => part?.status ?? "ok");
  return {
    status: parts.every((status) => status === "ok") ? "ok" : "failed",
    version: VERSION,
    node: process.versions.node,
    startedAt: new Date(Date.now() - process.uptime() * 1000),
    uptime: Math.floor(process.uptime()),
    database,
    storage: files,
    evidence,
    mail: { configured: env().SMTP_URL !== undefined, ...queue.mail },
    jobs: queue.jobs,
    backup,
    audit,
    disk,
    warnings,
  };
}

async function readDatabaseHealth(): Promise<SystemHealthRecord["database"]> {
  const start = performance.now();
  await sql.$queryRaw`select 1`;
  const milliseconds = Math.round((performance.now() - start) * 10) / 10;
  type Row = { version: string; bytes: bigint; applied: number; latest: string | null; unfinished: number };
  const [row] = await sql.$queryRaw<Row[]>`
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

async function readStorageHealth(hidden: readonly string[]): Promise<SystemHealthRecord["storage"]> {
  const [status, { count, bytes }] = await Promise.all([
    toStatus(getFileStorage().check()),
    countVisibleFiles(hidden),
  ]);
  return { status, kind: env().S3_URL ? "s3" : "disk", files: count, bytes };
}

const MAX_LISTED_PROBLEMS = 50;

async function readEvidenceHealth(hidden: readonly string[]): Promise<SystemHealthRecord["evidence"]> {
  const [counts, problems, check] = await Promise.all([
    countEvidenceProblems(),
    sql.$queryRaw<SystemHealthRecord["evidence"]["problems"]>`
      select p.file_id as "fileId", f.incident_id as "incidentId", p.part::text, p.fault::text, p.found_at as "foundAt"
      from evidence_problems p join related_files f on f.id = p.file_id
      where f.incident_id <> all(${hidden}::uuid[])
      order by p.found_at, p.file_id, p.part limit ${MAX_LISTED_PROBLEMS}`,
    prisma.evidenceCheck.findFirst({ select: { completedAt: true, finishedAt: true, files: true } }),
  ]);
  return {
    status: counts.damaged + counts.missing === 0 ? "ok" : "failed",
    ...counts,
    checkedAt: check?.completedAt ?? null,
    checking: check && !check.finishedAt ? check.files : null,
    problems,
  };
}

const toStatus = (work: Promise<unknown>): Promise<"ok" | "failed"> =>
  work.then(
    () => "ok",
    () => "failed",
  );

type QueueHealth = Pick<SystemHealthRecord, "jobs"> & {
  mail: Omit<SystemHealthRecord["mail"], "configured">;
};
type QueueRow = {
  queue: JobQueue;
  waiting: number;
  oldest: Date | null;
  /** Seconds that the oldest waiting job has waited. */
  lag: number;
  failed: number;
  undeliverable: number;
  failures: number;
  failingSince: Date | null;
};

const MAX_LAG_SECONDS = 600;

/**
 * A job waits from when it is due and has failed once all its tries are used up; events in the outbox count as jobs,
 * too. A queue is failing while its last tries all failed, or when its oldest job has waited for more than ten minutes.
 */
async function loadQueueHealth(): Promise<QueueHealth> {
  const [rows, workers, undispatchedCount] = await Promise.all([
    listQueueRows(),
    countWorkers(),
    prisma.outboxEvent.count(),
  ]);
  const queues = JOB_QUEUES.map((queue) =>
    toQueueRecord(
      queue,
      rows.find((row) => row.queue === queue),
    ),
  );
  const mail = {
    ...(queues.find(({ queue }) => queue === "mail")?.record ?? EMPTY_QUEUE),
    undeliverable: rows.find(({ queue }) => queue === "mail")?.undeliverable ?? 0,
  };
  const others = queues.filter(({ queue }) => queue !== "mail");
  const areJobsHealthy = workers > 0 && others.every(({ record }) => record.status === "ok");
  const sum = (of: "waiting" | "failed") => queues.reduce((total, { record }) => total + record[of], 0);
  return {
    mail,
    jobs: {
      status: areJobsHealthy ? "ok" : "failed",
      workers,
      waiting: sum("waiting") + undispatchedCount,
      failed: sum("failed"),
      queues: queues.map(({ queue, record }) => ({ queue, ...record })),
    },
  };
}

const EMPTY_QUEUE: QueueRecord = {
  status: "ok",
  waiting: 0,
  oldestWaitingAt: null,
  lag: 0,
  failed: 0,
  failedTries: 0,
  failingSince: null,
};

function toQueueRecord(queue: JobQueue, row?: QueueRow): { queue: JobQueue; record: QueueRecord } {
  if (!row) return { queue, record: EMPTY_QUEUE };
  const { waiting, oldest, lag, failed, failures, failingSince } = row;
  const status = failures >= MIN_FAILING_TRIES || lag > MAX_LAG_SECONDS ? "failed" : "ok";
  return {
    queue,
    record: { status, waiting, oldestWaitingAt: oldest, lag, failed, failedTries: failures, failingSince },
  };
}

/**
 * Matches the errors of jobs that a remote server refused. The lag of such a job counts from its next try, since each
 * has its own retry delay; the pages of webhooks and of the audit log show the failures themselves.
 */
const REMOTE_REFUSAL_PATTERN = ": (ReceiverFailure|CheckpointRejected)$";

/**
 * A retried job counts as waiting since it was queued. A running job doesn't count as waiting, except for mails,
 * which take seconds.
 */
const listQueueRows = (): Promise<QueueRow[]> => sql.$queryRaw<QueueRow[]>`
  with job as (
    select case when task_identifier like 'mail.%' then 'mail' when task_identifier = 'webhook.deliver' then 'webhooks'
        else 'maintenance' end as queue,
      created_at, locked_at is null or task_identifier like 'mail.%' as idle, attempts >= max_attempts as ended,
      coalesce(last_error like ${`%: ${UNDELIVERABLE_MARKER} %`}, false) as undeliverable,
      attempts < max_attempts and (run_at <= now() or attempts > 0) as waiting,
      case when attempts = 0 or last_error ~ ${REMOTE_REFUSAL_PATTERN} then run_at else created_at end as since
    from graphile_worker.jobs
  ), queued as (
    select queue, count(*) filter (where waiting)::int as waiting, min(created_at) filter (where waiting) as oldest,
      coalesce(extract(epoch from now() - min(since) filter (where waiting and idle and since <= now())), 0)::int as lag,
      count(*) filter (where ended and not undeliverable)::int as failed,
      count(*) filter (where ended and undeliverable)::int as undeliverable
    from job group by queue
  )
  select queue, coalesce(waiting, 0) as waiting, oldest, coalesce(lag, 0) as lag, coalesce(failed, 0) as failed,
    coalesce(undeliverable, 0) as undeliverable, coalesce(failures, 0) as failures, failing_since as "failingSince"
  from queued full join job_queue_failures using (queue)`;

/** Counts workers by the advisory lock that each one holds. */
async function countWorkers(): Promise<number> {
  const [row] = await sql.$queryRaw<{ workers: number }[]>`
    select count(*)::int as workers from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.classid = 0 and l.objid = ${WORKER_PRESENCE_LOCK}::int8::oid
      and l.database = (select oid from pg_database where datname = current_database())`;
  return row?.workers ?? 0;
}

/** Backups made in other ways leave no trace here, so a missing one is no failure. */
async function loadLastBackup(): Promise<SystemHealthRecord["backup"]> {
  const row = await prisma.installationMetadata.findUnique({
    where: { key: "last-backup" },
    select: { value: true },
  });
  return { lastAt: row ? new Date(row.value) : null };
}

const MAX_UNSEALED_AGE = "2 minutes";
/** Checkpoints are signed every hour. */
const MAX_CHECKPOINT_AGE_MS = 2 * 3600_000;
const MAX_UNSENT_AGE_MS = 3600_000;

async function readAuditHealth(): Promise<SystemHealthRecord["audit"]> {
  type Row = Pick<
    SystemHealthRecord["audit"],
    "lastCheckpointAt" | "unsealedChains" | "lastSentAt" | "unsent"
  > & {
    oldestUnsentAt: Date | null;
  };
  const [row] = await sql.$queryRaw<Row[]>`
    select (select max(at) from audit_checkpoints) as "lastCheckpointAt",
      (select max(sent_at) from audit_checkpoints) as "lastSentAt",
      (select count(*)::int from audit_chains c
        left join lateral (
          select seq from audit_seals s where s.chain = c.chain order by s.seq desc limit 1
        ) s on true
        left join audit_entries e on e.chain = c.chain and e.seq = coalesce(s.seq, 0) + 1
        where c.seq < s.seq or e.at < now() - ${MAX_UNSEALED_AGE}::interval) as "unsealedChains",
      count(j.id)::int as unsent, min(j.created_at) as "oldestUnsentAt"
    from graphile_worker.jobs j where j.task_identifier in ('mail.auditCheckpoint', 'postAuditCheckpoint')`;
  const { lastCheckpointAt, unsealedChains, lastSentAt, unsent, oldestUnsentAt } = row ?? EMPTY_AUDIT_STATUS;
  const url = env().AUDIT_CHECKPOINT_URL;
  const ageOf = (time: Date | string | null) => (time ? Date.now() - new Date(time).getTime() : 0);
  const isAuditHealthy =
    unsealedChains === 0 &&
    ageOf(lastCheckpointAt) < MAX_CHECKPOINT_AGE_MS &&
    (!url || ageOf(oldestUnsentAt) < MAX_UNSENT_AGE_MS);
  return {
    status: isAuditHealthy ? "ok" : "failed",
    lastCheckpointAt,
    unsealedChains,
    destination: url ? (url.startsWith("mailto:") ? "mail" : "web") : null,
    lastSentAt,
    unsent,
    oldestUnsentAt,
  };
}

const EMPTY_AUDIT_STATUS = {
  lastCheckpointAt: null,
  unsealedChains: 0,
  lastSentAt: null,
  unsent: 0,
  oldestUnsentAt: null,
};

/** With less space, uploads and a database on the same disk are about to fail. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;

async function readDiskHealth(): Promise<SystemHealthRecord["disk"]> {
  const found = await statfs(env().dataDir).catch(() => null);
  if (!found) return null;
  const freeBytes = found.bavail * found.bsize;
  const status = freeBytes >= MIN_FREE_BYTES ? "ok" : "failed";
  return { status, freeBytes, totalBytes: found.blocks * found.bsize };
}
