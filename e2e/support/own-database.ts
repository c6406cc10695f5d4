import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, inject } from "vitest";
import { createSecret } from "#lib/crypto/secrets.ts";
import { cloneDatabase } from "./database.ts";

/**
 * Before each test file, and before anything of the service is loaded into it: a database and a data folder of its
 * own, which the environment names, as it does for the service.
 */

const database = await cloneDatabase(inject("databaseServer"));
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
Object.assign(process.env, {
  DATABASE_URL: database.url,
  HEED_DATA_DIR: dataDir,
  LOG_LEVEL: "silent",
  PASSWORD_COST: "4",
});

createSecret({ dataDir }, "data");

afterAll(async () => {
  const { disconnect } = await import("#lib/database/client.ts");
  await disconnect();
  await database.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});
