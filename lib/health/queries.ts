import { readdir } from "node:fs/promises";
import path from "node:path";
import { db } from "#lib/db.ts";
import { AppError } from "#lib/errors.ts";
import { storage } from "#lib/files/storage.ts";

/** @throws AppError SERVICE_UNAVAILABLE when the database doesn't answer */
export async function askDatabase(): Promise<void> {
  await db.$queryRaw`select 1`.catch(() => {
    throw unfit("The database can't be reached.");
  });
}

/**
 * Has every migration of this version been applied? Newer ones are no fault: while versions change, another process may
 * be ahead.
 * @throws AppError SERVICE_UNAVAILABLE when one is missing or was broken off
 */
export async function askMigrations(): Promise<void> {
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

/** @throws AppError SERVICE_UNAVAILABLE when files can't be stored */
export async function askStorage(now = Date.now()): Promise<void> {
  if (!tried || now - tried.at > HOLDS_MS) tried = { at: now, outcome: storage().check() };
  await tried.outcome.catch(() => {
    throw unfit("Files can't be stored.");
  });
}

/** The service runs in its own folder (start.ts). */
async function ownMigrations(): Promise<string[]> {
  const folder = path.join(/* turbopackIgnore: true */ process.cwd(), "prisma", "migrations");
  return (await readdir(folder)).filter((name) => /^\d+_/.test(name));
}

const unfit = (what: string) =>
  new AppError("SERVICE_UNAVAILABLE", what, "Try again in a few seconds.", { "Retry-After": "2" });
