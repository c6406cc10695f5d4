import { db } from "#lib/db.ts";
import { AppError } from "#lib/errors.ts";

/** @throws AppError SERVICE_UNAVAILABLE when the database doesn't answer */
export async function askDatabase(): Promise<void> {
  await db.$queryRaw`select 1`.catch(() => {
    throw new AppError(
      "SERVICE_UNAVAILABLE",
      "The database can't be reached.",
      "Try again in a few seconds.",
      { "Retry-After": "2" },
    );
  });
}
