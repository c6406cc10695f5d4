import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cloneDatabase } from "#e2e/support/database.ts";
import { startProcess, type EnvironmentSettings } from "#e2e/support/process.ts";
import { readMailTexts } from "./mails.ts";

export type EmptyService = { url: string; outbox(): string[]; stop(): Promise<void> };

/** Starts a service on a database without accounts. */
export async function startEmptyService(settings: EnvironmentSettings = {}): Promise<EmptyService> {
  const database = await cloneDatabase(process.env.HEED_UI_DATABASE_SERVER ?? "");
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  const running = await startProcess({ DATABASE_URL: database.url, HEED_DATA_DIR: dataDir, ...settings });
  return {
    url: running.url,
    outbox: () => readMailTexts(dataDir),
    stop: async () => {
      await running.stop();
      await database.close();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
