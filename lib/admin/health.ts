import { statfs } from "node:fs/promises";
import {
  FAILED_TRIES_OF_FAILING_QUEUE,
  type SystemHealthRecord,
  type QueueHealthRecord,
} from "#lib/admin/schema.ts";
import {
  countWorkers,
  findDatabaseHealthRow,
  listEvidenceProblems,
  listJobQueueHealthRows,
  pingDatabase,
  type JobQueueHealthRow,
} from "#lib/admin/health-queries.ts";
import { countEvidenceProblems, countFilesPassedByCheck } from "#lib/evidence/integrity.ts";
import { loadEvidenceCheckStatus } from "#lib/evidence/queries.ts";
import { countVisibleEvidenceFilesAndBytes } from "#lib/admin/stats-queries.ts";
import { LAST_AUDIT_MAIL_KEY } from "#lib/audit/heads-mail.ts";
import { listLostHeads } from "#lib/audit/heads-queries.ts";
import { readRecordedHeads } from "#lib/audit/heads.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { findFileSweepRefusalTime } from "#lib/files/storage/orphan-records.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { listRecentMisconfigurationWarnings } from "#lib/admin/exposure-warnings.ts";
import { findScheduleStatus } from "#lib/jobs/library-tables.ts";
import { JOB_QUEUES, type JobQueue } from "#lib/jobs/queues.ts";
import { VERSION } from "#lib/version.ts";

/**
 * Loads the health of the installation: database, storage, mail, jobs and disk. A failed part is reported without
 * failing the others. Contains no address, path or secret.
 * @param hidden incidents whose files don't count
 */
export async function loadSystemHealth(hidden: readonly string[]): Promise<SystemHealthRecord> {
  const [database, files, evidence, queue, backup, audit, disk, warnings] = await Promise.all([
    readDatabaseHealth(),
    readStorageHealth(hidden),
    readEvidenceHealth(hidden),
    loadQueueHealth(),
    loadLastBackup(),
    readAuditHealth(),
    readDiskHealth(),
    listRecentMisconfigurationWarnings(),
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
  await pingDatabase();
  const milliseconds = Math.round((performance.now() - start) * 10) / 10;
  const {
    version = "",
    bytes = 0n,
    applied = 0,
    latest = null,
    unfinished = 0,
  } = (await findDatabaseHealthRow()) ?? {};
  const migrations = { applied, latest, unfinished };
  const status = unfinished === 0 ? "ok" : "failed";
  return { status, version, milliseconds, bytes: Number(bytes), migrations };
}

async function readStorageHealth(hidden: readonly string[]): Promise<SystemHealthRecord["storage"]> {
  const [writing, sweepRefusedAt, { count, bytes }] = await Promise.all([
    toStatus(getFileStorage().check()),
    findFileSweepRefusalTime(),
    countVisibleEvidenceFilesAndBytes(hidden),
  ]);
  const status = sweepRefusedAt ? "failed" : writing;
  return { status, kind: env().S3_URL ? "s3" : "disk", files: count, bytes, sweepRefusedAt };
}

/**
 * The status as well leaves out files of hidden incidents, since it would say that there are some. Log and metrics name
 * and count them (docs/operating.md).
 */
async function readEvidenceHealth(hidden: readonly string[]): Promise<SystemHealthRecord["evidence"]> {
  const [counts, problems, checking, { checkedAt, isLate }] = await Promise.all([
    countEvidenceProblems(hidden),
    listEvidenceProblems(hidden),
    countFilesPassedByCheck(hidden),
    loadEvidenceCheckStatus(),
  ]);
  const isHealthy = counts.damaged + counts.missing + counts.unreadable === 0 && !isLate;
  return { status: isHealthy ? "ok" : "failed", ...counts, checkedAt, checkLate: isLate, checking, problems };
}

const toStatus = (work: Promise<unknown>): Promise<"ok" | "failed"> =>
  work.then(
    () => "ok",
    () => "failed",
  );

type QueueHealth = Pick<SystemHealthRecord, "jobs"> & {
  mail: Omit<SystemHealthRecord["mail"], "configured">;
};
const MAX_LAG_SECONDS = 600;

/**
 * Loads the state of the queues. A job counts as waiting from when it is first due, and as failed once its tries are
 * used up; the events in the outbox count as waiting jobs, too. A queue is failing while its last tries all failed, or
 * when its oldest job has waited for more than ten minutes. The jobs also fail while the schedule queues none.
 */
async function loadQueueHealth(): Promise<QueueHealth> {
  const [rows, workers, undispatchedCount, schedule] = await Promise.all([
    listJobQueueHealthRows(),
    countWorkers(),
    prisma.outboxEvent.count(),
    findScheduleStatus(),
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
  const areJobsHealthy =
    workers > 0 && !schedule.isStopped && others.every(({ record }) => record.status === "ok");
  const sum = (of: "waiting" | "failed") => queues.reduce((total, { record }) => total + record[of], 0);
  return {
    mail,
    jobs: {
      status: areJobsHealthy ? "ok" : "failed",
      workers,
      lastScheduledAt: schedule.lastQueuedAt,
      scheduleStopped: schedule.isStopped,
      waiting: sum("waiting") + undispatchedCount,
      failed: sum("failed"),
      queues: queues.map(({ queue, record }) => ({ queue, ...record })),
    },
  };
}

const EMPTY_QUEUE: QueueHealthRecord = {
  status: "ok",
  waiting: 0,
  oldestWaitingAt: null,
  lag: 0,
  failed: 0,
  failedTries: 0,
  failingSince: null,
};

function toQueueRecord(
  queue: JobQueue,
  row?: JobQueueHealthRow,
): { queue: JobQueue; record: QueueHealthRecord } {
  if (!row) return { queue, record: EMPTY_QUEUE };
  const { waiting, oldest, lag, failed, failures, failingSince } = row;
  const status = failures >= FAILED_TRIES_OF_FAILING_QUEUE || lag > MAX_LAG_SECONDS ? "failed" : "ok";
  return {
    queue,
    record: { status, waiting, oldestWaitingAt: oldest, lag, failed, failedTries: failures, failingSince },
  };
}

/** Loads the last backup by Heed's own command. Other backups leave no trace here, so a missing one is no failure. */
async function loadLastBackup(): Promise<SystemHealthRecord["backup"]> {
  const row = await prisma.installationMetadata.findUnique({
    where: { key: "last-backup" },
    select: { value: true },
  });
  return { lastAt: row ? new Date(row.value) : null };
}

/** Heads are recorded each minute, and mailed each night. */
const MAX_HEADS_AGE_MS = 10 * 60_000;
const MAX_MAIL_AGE_MS = 48 * 3600_000;

/** Reads what this machine's data folder has of the audit log, and whether the database still has it. */
async function readAuditHealth(): Promise<SystemHealthRecord["audit"]> {
  const { recorded, isReadable } = readHeadsOfDataFolder();
  const lost = await listLostHeads(recorded?.heads ?? []);
  const mailed = env().AUDIT_MAIL_TO
    ? await prisma.installationMetadata.findUnique({ where: { key: LAST_AUDIT_MAIL_KEY } })
    : null;
  const ageOf = (time: string | undefined) => (time ? Date.now() - Date.parse(time) : 0);
  const isHealthy =
    isReadable &&
    lost.length === 0 &&
    ageOf(recorded?.at) < MAX_HEADS_AGE_MS &&
    ageOf(mailed?.value) < MAX_MAIL_AGE_MS;
  return {
    status: isHealthy ? "ok" : "failed",
    lastRecordedAt: recorded ? new Date(recorded.at) : null,
    changedChains: lost.length,
    destination: env().AUDIT_MAIL_TO ? "mail" : null,
    lastSentAt: mailed ? new Date(mailed.value) : null,
  };
}

function readHeadsOfDataFolder() {
  try {
    return { recorded: readRecordedHeads(env()), isReadable: true };
  } catch {
    return { recorded: undefined, isReadable: false };
  }
}

/** With less space, uploads and a database on the same disk are about to fail. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;

async function readDiskHealth(): Promise<SystemHealthRecord["disk"]> {
  const found = await statfs(env().dataDir).catch(() => null);
  if (!found) return null;
  const freeBytes = found.bavail * found.bsize;
  const status = freeBytes >= MIN_FREE_BYTES ? "ok" : "failed";
  return { status, freeBytes, totalBytes: found.blocks * found.bsize };
}
