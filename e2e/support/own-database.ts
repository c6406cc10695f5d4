import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, inject } from "vitest";
import { createSecret } from "#lib/crypto/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { findSharedService } from "./shared-services.ts";

/**
 * Runs before each test file, and before the file loads anything of the service: names a database and a data folder in
 * the environment, as for the service. They belong to the file alone, or to the service that it shares.
 */

type Place = { databaseUrl: string; dataDir: string; leave(): Promise<void> };

const { databaseUrl, dataDir, leave } = await ((await sharesService()) ? findSharedPlace() : makeOwnPlace());
Object.assign(process.env, {
  DATABASE_URL: databaseUrl,
  HEED_DATA_DIR: dataDir,
  LOG_LEVEL: "silent",
  PASSWORD_COST: "4",
});

afterAll(async () => {
  const { disconnectDatabase } = await import("#lib/database/client.ts");
  await disconnectDatabase();
  await leave();
});

/**
 * Returns whether the file calls `shareService`, according to its text: its imports may need the environment before it
 * runs.
 */
async function sharesService(): Promise<boolean> {
  const { testPath = "" } = expect.getState();
  return fs.readFileSync(testPath, "utf8").includes("await shareService()");
}

async function findSharedPlace(): Promise<Place> {
  const shared = await findSharedService(inject("sharedServices"));
  return { ...shared, leave: async () => {} };
}

async function makeOwnPlace(): Promise<Place> {
  const database = await cloneDatabase(inject("databaseServer"));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  createSecret({ dataDir: folder }, "data");
  const leave = async () => {
    await database.close();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { databaseUrl: database.url, dataDir: folder, leave };
}
