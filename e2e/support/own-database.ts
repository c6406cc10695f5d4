import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, inject } from "vitest";
import { createSecret } from "#lib/crypto/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { runFileEndings } from "./file-end.ts";
import { findSharedService } from "./shared-services.ts";
import { sharesService } from "./sharing-files.ts";

/**
 * Runs before each test file, and before the file loads anything of the service: names a database and a data folder in
 * the environment, as for the service. They belong to the file alone, or to the service that it shares.
 */

type Place = { databaseUrl: string; dataDir: string; leave(): Promise<void> };

const { databaseUrl, dataDir, leave } = await (sharesService(expect.getState().testPath ?? "")
  ? findSharedPlace()
  : makeOwnPlace());
Object.assign(process.env, {
  DATABASE_URL: databaseUrl,
  HEED_DATA_DIR: dataDir,
  LOG_LEVEL: "silent",
  PASSWORD_COST: "4",
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

async function makeOwnPlace(): Promise<Place> {
  const database = await cloneDatabase(inject("databaseServer"));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  createSecret({ dataDir: folder }, "data");
  const leave = async () => {
    const { disconnectDatabase } = await import("#lib/database/client.ts");
    await disconnectDatabase();
    await database.close();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { databaseUrl: database.url, dataDir: folder, leave };
}
