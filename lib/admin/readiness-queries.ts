import { readdir } from "node:fs/promises";
import path from "node:path";
import {
  assertDatabaseSessionPreservedInPool,
  READ_ONLY_SQLSTATE,
  SESSION_NOT_PRESERVED_SQLSTATE,
} from "#lib/database/connections.ts";
import { listDatabasePools, sql } from "#lib/database/client.ts";
import { AppError } from "#lib/operation/errors.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { isShuttingDown } from "#lib/admin/shutdown.ts";

/**
 * Refuses once a stop signal has arrived, so that load balancers send requests elsewhere.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export function refuseWhileStopping(): void {
  if (isShuttingDown()) throw createHealthError("serviceStopping");
}

/**
 * Checks that the database responds, accepts writes and keeps session settings. Pools are checked one after the
 * other. Each check leaves a marker in its session: where a pooler gives two connections the same session, the second
 * check finds it.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function assertDatabaseUsable(): Promise<void> {
  for (const pool of listDatabasePools())
    await assertDatabaseSessionPreservedInPool(pool).catch(({ code }: { code?: string }) => {
      if (code === READ_ONLY_SQLSTATE) throw createHealthError("databaseReadOnly");
      if (code === SESSION_NOT_PRESERVED_SQLSTATE) throw createHealthError("databaseWithoutSessions");
      throw createHealthError("databaseUnreachable");
    });
}

/**
 * Checks that the database has exactly the migrations of this version. After a newer version has migrated it, an
 * older one could write what the newer tables no longer accept.
 * @throws AppError SERVICE_UNAVAILABLE when one is missing, incomplete, or unknown to this version
 */
export async function assertMigrationsMatchVersion(): Promise<void> {
  const rows = await sql.$queryRaw<{ name: string; finished: boolean }[]>`
    select migration_name as name, finished_at is not null as finished from _prisma_migrations
    where rolled_back_at is null`;
  const finished = new Set(rows.filter((row) => row.finished).map(({ name }) => name));
  const own = new Set(await listOwnMigrations());
  if (own.difference(finished).size > 0 || rows.some((row) => !row.finished))
    throw createHealthError("databaseOutdated");
  if (finished.difference(own).size > 0) throw createHealthError("databaseTooNew");
}

/** The check writes a file, so its result is cached for a few seconds. */
const STORAGE_CHECK_TTL_MS = 5000;
let lastStorageCheck: { at: number; outcome: Promise<void> } | undefined;

/** Returns whether files can be stored at the moment. */
export async function isStorageUsable(): Promise<boolean> {
  const now = Date.now();
  if (!lastStorageCheck || now - lastStorageCheck.at > STORAGE_CHECK_TTL_MS)
    lastStorageCheck = { at: now, outcome: getFileStorage().check() };
  return lastStorageCheck.outcome.then(
    () => true,
    () => false,
  );
}

/** The service runs in its own folder (start.ts). */
async function listOwnMigrations(): Promise<string[]> {
  const folder = path.join(/* turbopackIgnore: true */ process.cwd(), "prisma", "migrations");
  return (await readdir(folder)).filter((name) => /^\d+_/.test(name));
}

type UnavailableReason =
  | "serviceStopping"
  | "databaseUnreachable"
  | "databaseReadOnly"
  | "databaseWithoutSessions"
  | "databaseOutdated"
  | "databaseTooNew";

const createHealthError = (reason: UnavailableReason) =>
  new AppError("SERVICE_UNAVAILABLE", reason, {}, { headers: { "Retry-After": "2" } });
