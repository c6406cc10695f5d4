import { afterAll, expect, inject } from "vitest";
import { runFileEndings } from "./file-end.ts";
import { openOwnPlace, type Place } from "./own-place.ts";
import { DATABASE_ACQUIRE_MS, findSharedService } from "./shared-services.ts";
import { sharesService } from "./sharing-files.ts";

/**
 * Runs before each test file, and before the file loads anything of the service: names a database and a data folder in
 * the environment, as for the service. They belong to the file alone, or to the service that it shares.
 */

// A file that failed to load has not ended what it had started.
await runFileEndings();
const { databaseUrl, dataDir, leave } = await (sharesService(expect.getState().testPath ?? "")
  ? findSharedPlace()
  : openOwnPlace(inject("databaseServer")));
Object.assign(process.env, {
  DATABASE_URL: databaseUrl,
  HEED_DATA_DIR: dataDir,
  LOG_LEVEL: "silent",
  PASSWORD_COST: "4",
  DATABASE_ACQUIRE_MS,
});

afterAll(async () => {
  await runFileEndings();
  await leave();
});

/** The next file in this process has the same place, so the connections to the database stay open. */
async function findSharedPlace(): Promise<Place> {
  const shared = await findSharedService(inject("sharedServices"));
  return { ...shared, leave: async () => {} };
}
