import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cloneDatabase, spawnTestServer } from "#e2e/support/database.ts";
import { startProcess } from "#e2e/support/process.ts";
import { DATABASE_ACQUIRE_MS } from "#e2e/support/shared-services.ts";

/**
 * Runs before the first UI test: updates the production build, and starts a database server and one service with its
 * own database, which the environment names. Returns a function that ends them.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await spawnTestServer({ build: true });
  const database = await cloneDatabase(server.url);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const running = await startProcess({
    DATABASE_URL: database.url,
    HEED_DATA_DIR: dataDir,
    DATABASE_ACQUIRE_MS,
  });
  Object.assign(process.env, {
    HEED_UI_URL: running.url,
    HEED_UI_DATABASE_SERVER: server.url,
    DATABASE_URL: database.url,
    HEED_DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
  });
  return async () => {
    await running.stop();
    await server.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
}
