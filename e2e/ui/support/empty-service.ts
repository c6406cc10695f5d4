import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cloneDatabase } from "#e2e/support/database.ts";
import { startProcess, type EnvironmentSettings } from "#e2e/support/process.ts";

export type EmptyService = { url: string; outbox(): string[]; stop(): Promise<void> };

/** Starts a service on a database without accounts. */
export async function startEmptyService(settings: EnvironmentSettings = {}): Promise<EmptyService> {
  const database = await cloneDatabase(process.env.HEED_UI_DATABASE_SERVER ?? "");
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const running = await startProcess({ DATABASE_URL: database.url, HEED_DATA_DIR: dataDir, ...settings });
  const folder = path.join(dataDir, "outbox");
  return {
    url: running.url,
    outbox: () =>
      fs.existsSync(folder)
        ? fs
            .readdirSync(folder)
            // A mail that is still being written has another extension.
            .filter((name) => name.endsWith(".eml"))
            .sort()
            .map((name) => fs.readFileSync(path.join(folder, name), "utf8"))
        : [],
    stop: async () => {
      await running.stop();
      await database.close();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
