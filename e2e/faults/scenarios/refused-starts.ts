import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentSettings } from "#e2e/support/process.ts";
import { MIGRATIONS_FOLDER, readMigrations } from "#lib/database/migrate.ts";
import type { Scenario, Scene } from "../scenario.ts";

/** Invalid settings; the refusal has to name them. */
const BAD: EnvironmentSettings[] = [
  { SESSION_KEYS: "short" },
  { SESSION_KEYS: "a".repeat(32) },
  { SESSION_KEYS: "change-me-to-a-long-random-string" },
  { EVIDENCE_KEYS: "bm90IGEga2V5" },
  { BASE_URL: "http://heed.example.org" },
  { BASE_URL: "https://heed.example.org/path" },
  { DATABASE_URL: "mysql://127.0.0.1/heed" },
  { S3_URL: "https://s3.example.org/" },
];

export const badSettings: Scenario = {
  name: "bad-settings",
  title: "Guessable keys, bad addresses, a truncated secret",
  cold: true,
  async disturb(scene) {
    const { settings } = scene.stage;
    for (const bad of BAD) {
      const [name = ""] = Object.keys(bad);
      Object.assign(settings, bad);
      await expectRefusal(scene, new RegExp(`${name} should be`));
      delete settings[name];
    }
    // As a full disk or an editor could truncate it.
    const secrets = path.join(scene.stage.dataDir, "secrets");
    fs.mkdirSync(secrets, { recursive: true });
    fs.writeFileSync(path.join(secrets, "session.key"), "short\n");
    await expectRefusal(scene, /The secret in \S+session\.key is too short/);
  },
};

async function expectRefusal({ stage, ledger }: Scene, reason: RegExp): Promise<void> {
  const service = stage.launch();
  ledger.equal(`exit code where ${reason} is to be said`, await service.ended, 1);
  const output = service.output();
  ledger.expect(reason.test(output), `it does not say ${reason}: ${output.slice(-300)}`);
  ledger.expect(!/Heed is ready/.test(output), "it serves all the same");
  ledger.expect(!/^\s+at /m.test(output), "it shows a stack");
}

/** Kills the service while it applies its migrations; then another tool leaves a migration half applied. */
export const killedMigrations: Scenario = {
  name: "killed-migrations",
  title: "Starts killed while they apply migrations, and a migration half applied",
  stage: { peers: ["database"], settings: { LOG_LEVEL: "info" } },
  cold: true,
  async disturb(scene) {
    const { stage, ledger, draw } = scene;
    await stage.server?.start();
    for (let round = 0; round < 5; round += 1) {
      const service = stage.launch();
      while (!/Updating the database|Heed is ready/.test(service.output())) await sleep(5);
      await sleep(draw() * 150);
      process.kill(-(service.child.pid ?? 0), "SIGKILL");
      await service.ended;
    }
    await stage.start();
    const [counts] = await stage.sql(
      `select count(finished_at)::int as done,
         count(*) filter (where finished_at is null and rolled_back_at is null)::int as broken
       from _prisma_migrations`,
    );
    ledger.equal("migrations", counts, { done: readMigrations(MIGRATIONS_FOLDER).length, broken: 0 });
    await stage.stop();
    await stage.sql(
      `update _prisma_migrations set finished_at = null
       where migration_name = (select max(migration_name) from _prisma_migrations)`,
    );
    await expectRefusal(scene, /The migration \S+ was broken off halfway/);
  },
};
