import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EVIDENCE_CHECK_LOCK } from "#lib/database/advisory-locks.ts";
import { getPrismaPool, prisma, runTransaction } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import { DamagedFileError } from "#lib/files/storage/failures.ts";
import { SealedFileOpenError, unsealStream } from "#lib/crypto/sealed-file.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { log } from "#lib/observability/log.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import {
  FILE_TO_VERIFY_COLUMNS,
  listFaultyFiles,
  toFileToVerify,
  type EvidenceFileToVerify,
} from "#lib/evidence/queries.ts";

/**
 * Verifies that stored evidence is still what was uploaded (docs/decisions/014). Downloads verify each file before
 * sending it; the nightly check reads all files, slowly. A fault found by either stays in `evidence_problems` until
 * the file is whole.
 */

export type EvidenceCopyKind = "file" | "original";
type EvidenceFault = "missing" | "damaged" | "unreadable";

/** How long one job of the check runs; the next job continues from there. */
const MAX_SLICE_MS = 20_000;
const FILE_BATCH_SIZE = 50;

/** Selects the only row of the table of checks, while a check is running. */
const RUNNING_CHECK = { id: 1, finishedAt: null };

/** Starts a check of all evidence; one that is already running continues instead. */
export async function startEvidenceCheck(): Promise<void> {
  const first = await prisma.evidenceCheck.createMany({ data: { id: 1 }, skipDuplicates: true });
  if (first.count > 0) return;
  await prisma.evidenceCheck.updateMany({
    where: { id: 1, finishedAt: { not: null } },
    data: { startedAt: new Date(), finishedAt: null, lastFileId: null, files: 0, bytes: 0 },
  });
}

/**
 * Checks the next files for about twenty seconds, at EVIDENCE_CHECK_BYTES_PER_SECOND. Only one process works at a
 * time. Each file is recorded once it is checked, so a restart repeats at most one file. A file that can't be read is
 * recorded as such, and the check goes on with the next.
 * @returns whether there are more to check
 * @throws AppError SERVICE_UNAVAILABLE while the storage doesn't respond
 */
export async function continueEvidenceCheck(sliceMs = MAX_SLICE_MS): Promise<boolean> {
  let hasMore = false;
  const hasLock = await withAdvisoryLock(EVIDENCE_CHECK_LOCK, async () => {
    hasMore = await checkSlice(sliceMs);
  });
  return hasLock && hasMore;
}

async function checkSlice(sliceMs: number): Promise<boolean> {
  const throttle = new ReadThrottle(env().EVIDENCE_CHECK_BYTES_PER_SECOND);
  const end = Date.now() + sliceMs;
  for (;;) {
    const files = await listNextFiles();
    if (files.length === 0) {
      await finishCheck();
      return false;
    }
    for (const file of files) {
      const before = throttle.bytes;
      await checkFile(file, throttle);
      await prisma.evidenceCheck.updateMany({
        where: RUNNING_CHECK,
        data: {
          lastFileId: file.id,
          files: { increment: 1 },
          bytes: { increment: throttle.bytes - before },
        },
      });
      if (Date.now() >= end) return true;
    }
  }
}

/** Rechecks faulty files, so that a restored file is noticed within the hour. */
export async function recheckEvidenceProblems(): Promise<void> {
  const throttle = new ReadThrottle(env().EVIDENCE_CHECK_BYTES_PER_SECOND);
  const end = Date.now() + MAX_SLICE_MS;
  const files = await listFaultyFiles();
  for (const file of files) {
    await checkFile(file, throttle);
    if (Date.now() >= end) return;
  }
}

/** The next files in the order of their ids; none when no check is running. */
async function listNextFiles(): Promise<EvidenceFileToVerify[]> {
  const check = await prisma.evidenceCheck.findFirst({ where: RUNNING_CHECK, select: { lastFileId: true } });
  if (!check) return [];
  const files = await prisma.relatedFile.findMany({
    where: check.lastFileId ? { id: { gt: check.lastFileId } } : {},
    select: FILE_TO_VERIFY_COLUMNS,
    orderBy: { id: "asc" },
    take: FILE_BATCH_SIZE,
  });
  return files.map(toFileToVerify);
}

async function finishCheck(): Promise<void> {
  const now = new Date();
  const [finishedCheck] = await prisma.evidenceCheck.updateManyAndReturn({
    where: RUNNING_CHECK,
    data: { finishedAt: now, completedAt: now },
    select: { files: true, bytes: true },
  });
  if (!finishedCheck) return;
  const problemCounts = await countEvidenceProblems([]);
  log.info(
    { files: finishedCheck.files, bytes: Number(finishedCheck.bytes), ...problemCounts },
    "stored evidence checked",
  );
}

async function checkFile(file: EvidenceFileToVerify, throttle: ReadThrottle): Promise<void> {
  const { storageKey, storedSha256, originalKey } = file;
  const openCopy = () => openStoredFile(storageKey);
  await checkPart({ file, part: "file", sha256: storedSha256, open: openCopy }, throttle);
  if (!originalKey) return;
  const keys = loadEvidenceMasterKeys(env());
  const openOriginal = async () =>
    unsealStream(await openStoredFile(originalKey), { name: originalKey, keys });
  await checkPart({ file, part: "original", sha256: file.sha256, open: openOriginal }, throttle);
}

const openStoredFile = async (key: string): Promise<Readable> => (await getFileStorage().open(key)).stream;

type PartToVerify = { file: FileRef; part: EvidenceCopyKind; sha256: string; open: () => Promise<Readable> };

/**
 * Checks a part of a file and records the result. A part that can't be read, twice, while the storage responds is
 * unreadable: a bad sector, or a wrong owner, must not keep the files after it from being checked.
 * @throws AppError SERVICE_UNAVAILABLE while the storage doesn't respond
 */
async function checkPart(one: PartToVerify, throttle: ReadThrottle): Promise<void> {
  const fault = await findFault(one, throttle).catch(async () => {
    await getFileStorage().checkReading();
    return findFault(one, throttle).catch((error: unknown) => {
      logUnreadable(one, error);
      return "unreadable" as const;
    });
  });
  await recordIntegrityResult(one.file, one.part, fault);
}

/** @throws the error of reading, unless it says what is wrong with the content */
async function findFault(
  { sha256, open }: PartToVerify,
  throttle: ReadThrottle,
): Promise<EvidenceFault | null> {
  try {
    const hash = createHash("sha256");
    for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await throttle.wait(chunk.length);
    }
    return hash.digest("hex") === sha256 ? null : "damaged";
  } catch (error) {
    return findEvidenceFaultFromError(error) ?? rethrow(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function logUnreadable({ file, part }: PartToVerify, error: unknown): void {
  const { reason = describeErrorForLog(error) } = error as { reason?: string };
  log.warn(
    { incidentId: file.incidentId, fileId: file.id, part, code: reason },
    "an evidence file can't be read",
  );
}

/** Finds the file's fault by the error of reading it; undefined if it is the storage that can't be read. */
export function findEvidenceFaultFromError(error: unknown): EvidenceFault | undefined {
  if (error instanceof DamagedFileError || error instanceof SealedFileOpenError) return "damaged";
  return error instanceof AppError && error.code === "NOT_FOUND" ? "missing" : undefined;
}

type FileRef = { id: string; incidentId: string };

/**
 * Records the result for one part of a file and logs what is new. A file whose row is gone has no fault: files are
 * removed after their rows.
 * @returns whether the file's row exists
 */
export async function recordIntegrityResult(
  { id, incidentId }: FileRef,
  part: EvidenceCopyKind,
  fault: EvidenceFault | null,
): Promise<boolean> {
  if (!fault) {
    const { count } = await prisma.evidenceProblem.deleteMany({ where: { fileId: id, part } });
    if (count > 0) log.info({ incidentId, fileId: id, part }, "an evidence file is whole again");
    return true;
  }
  return runTransaction(async (tx) => {
    if (!(await lockRow(tx, { table: "related_files", id, strength: "key share" }))) return false;
    const problem = { fileId: id, part };
    const known = await tx.evidenceProblem.updateMany({
      where: problem,
      data: { fault, checkedAt: new Date() },
    });
    if (known.count > 0) return true;
    const { count } = await tx.evidenceProblem.createMany({
      data: { ...problem, fault },
      skipDuplicates: true,
    });
    if (count > 0) log.error({ incidentId, fileId: id, part, fault }, "an evidence file is not whole");
    return true;
  });
}

type EvidenceProblemCounts = Record<EvidenceFault, number>;

/** Counts the faults of stored evidence, without those in files of hidden incidents. */
export async function countEvidenceProblems(hidden: readonly string[]): Promise<EvidenceProblemCounts> {
  const rows = await prisma.evidenceProblem.groupBy({
    by: ["fault"],
    where: { file: { incidentId: { notIn: [...hidden] } } },
    _count: true,
  });
  const countFault = (fault: EvidenceFault) => rows.find((row) => row.fault === fault)?._count ?? 0;
  return {
    damaged: countFault("damaged"),
    missing: countFault("missing"),
    unreadable: countFault("unreadable"),
  };
}

/**
 * Counts the files that the running check has passed, without those of hidden incidents; null when none is running.
 * The count in the check's row would say how many files are hidden.
 */
export async function countFilesPassedByCheck(hidden: readonly string[]): Promise<number | null> {
  const check = await prisma.evidenceCheck.findFirst({ where: RUNNING_CHECK, select: { lastFileId: true } });
  if (!check) return null;
  if (!check.lastFileId) return 0;
  return prisma.relatedFile.count({
    where: { id: { lte: check.lastFileId }, incidentId: { notIn: [...hidden] } },
  });
}

/** Limits reading to a number of bytes per second. */
class ReadThrottle {
  readonly #bytesPerMs: number;
  readonly #startedAt = performance.now();
  bytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  async wait(bytes: number): Promise<void> {
    this.bytes += bytes;
    const aheadMs = this.bytes / this.#bytesPerMs - (performance.now() - this.#startedAt);
    if (aheadMs > 10) await sleep(aheadMs);
  }
}

/** Runs `work` while holding an advisory lock, unless another process holds it. @returns whether the lock was free */
async function withAdvisoryLock(lock: number, work: () => Promise<void>): Promise<boolean> {
  const client = await getPrismaPool().connect();
  let unlockError: Error | undefined;
  try {
    const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_lock($1) as free", [lock]);
    if (!rows[0]?.free) return false;
    try {
      await work();
    } finally {
      await client.query("select pg_advisory_unlock($1)", [lock]).catch((error: Error) => {
        unlockError = error;
      });
    }
    return true;
  } finally {
    // A connection that may still hold the lock is closed, which releases the lock.
    client.release(unlockError);
  }
}
