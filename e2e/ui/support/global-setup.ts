import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cloneDatabase, spawnTestServer } from "#e2e/support/database.ts";
import { startProcess } from "#e2e/support/process.ts";

/**
 * Before the first journey: the production build, a database server and one service with a database of its own,
 * which the environment names to the journeys. What is returned ends them.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await spawnTestServer({ build: true });
  const database = await cloneDatabase(server.url);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const running = await startProcess({ DATABASE_URL: database.url, HEED_DATA_DIR: dataDir });
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
