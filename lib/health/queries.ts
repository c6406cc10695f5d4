import { readdir } from "node:fs/promises";
import path from "node:path";
import { db } from "#lib/db.ts";
import { AppError } from "#lib/errors.ts";
import { storage } from "#lib/files/storage.ts";
import { isShuttingDown } from "#lib/health/shutdown.ts";

/** @throws AppError SERVICE_UNAVAILABLE from the signal to stop on, so that a balancer sends requests elsewhere */
export function refuseWhileStopping(): void {
  if (isShuttingDown()) throw unfit("The service is stopping.");
}

/** @throws AppError SERVICE_UNAVAILABLE when the database doesn't answer */
export async function checkDatabase(): Promise<void> {
  await db.$queryRaw`select 1`.catch(() => {
    throw unfit("The database can't be reached.");
  });
}

/**
 * Has every migration of this version been applied? Newer ones are no fault: while versions change, another process may
 * be ahead.
 * @throws AppError SERVICE_UNAVAILABLE when one is missing or was broken off
 */
export async function checkMigrations(): Promise<void> {
  const rows = await db.$queryRaw<{ name: string; finished: boolean }[]>`
    select migration_name as name, finished_at is not null as finished from _prisma_migrations
    where rolled_back_at is null`;
  const finished = new Set(rows.filter((row) => row.finished).map(({ name }) => name));
  const missing = (await ownMigrations()).some((name) => !finished.has(name));
  if (missing || rows.some((row) => !row.finished)) throw unfit("The database is not up to date.");
}

/** Trying it out writes a file; the answer holds for a few seconds. */
const HOLDS_MS = 5000;
let tried: { at: number; outcome: Promise<void> } | undefined;

/** Can files be stored at this time? */
export async function isStorageUsable(now = Date.now()): Promise<boolean> {
  if (!tried || now - tried.at > HOLDS_MS) tried = { at: now, outcome: storage().check() };
  return tried.outcome.then(
    () => true,
    () => false,
  );
}

/** The service runs in its own folder (start.ts). */
async function ownMigrations(): Promise<string[]> {
  const folder = path.join(/* turbopackIgnore: true */ process.cwd(), "prisma", "migrations");
  return (await readdir(folder)).filter((name) => /^\d+_/.test(name));
}

const unfit = (what: string) =>
  new AppError("SERVICE_UNAVAILABLE", what, "Try again in a few seconds.", { "Retry-After": "2" });
