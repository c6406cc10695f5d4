import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readMigrations, MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";
import type { EnvironmentSettings } from "#e2e/support/process.ts";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import { Findings, type Fault, type FaultOptions } from "./fault.ts";
import { launchService } from "./launch.ts";
import { Stage } from "./stage.ts";

/** FA9 and FA10: settings with which the service must not start, and interrupted migrations. */
export const refusedStarts: Fault = {
  name: "refused-starts",
  title: "Bad secrets and addresses, half a migration",
  run: async (options) => {
    const findings = new Findings(options.say);
    await startWithBadSettings(findings);
    await startWithBadSecret(findings);
    await breakOffMigrations(findings, options);
    return findings;
  },
};

/** Invalid settings, and the text that the refusal must contain. */
const BAD: [EnvironmentSettings, RegExp][] = [
  [{ SESSION_KEYS: "short" }, /SESSION_KEYS should be/],
  [{ SESSION_KEYS: "a".repeat(32) }, /SESSION_KEYS should be/],
  [{ SESSION_KEYS: "change-me-to-a-long-random-string" }, /SESSION_KEYS should be/],
  [{ EVIDENCE_KEYS: "bm90IGEga2V5" }, /EVIDENCE_KEYS should be/],
  [{ BASE_URL: "http://heed.example.org" }, /BASE_URL should be/],
  [{ BASE_URL: "https://heed.example.org/path" }, /BASE_URL should be/],
  [{ DATABASE_URL: "mysql://127.0.0.1/heed" }, /DATABASE_URL should be/],
  [{ S3_URL: "https://s3.example.org/" }, /S3_URL should be/],
];

async function startWithBadSettings(findings: Findings): Promise<void> {
  for (const [settings, reason] of BAD) {
    const stage = await Stage.build({ settings });
    const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
    refuses(findings, await service.ended, { output: service.output(), reason });
    await stage.close();
  }
  findings.figure("Settings that are refused by name", BAD.length);
}

/** Truncates the service's generated secret, as a full disk or an editor could. */
async function startWithBadSecret(findings: Findings): Promise<void> {
  const stage = await Stage.build();
  fs.mkdirSync(path.join(stage.dataDir, "secrets"), { recursive: true });
  fs.writeFileSync(path.join(stage.dataDir, "secrets", "session.key"), "short\n");
  const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
  refuses(findings, await service.ended, {
    output: service.output(),
    reason: /The secret in \S+session\.key is too short/,
  });
  await stage.close();
}

function refuses(
  findings: Findings,
  code: number | null,
  { output, reason }: { output: string; reason: RegExp },
): void {
  findings.equal(`exit code where ${reason} is to be said`, code, 1);
  findings.expect(reason.test(output), `it does not say ${reason}: ${output.slice(-300)}`);
  findings.expect(!/Heed is ready/.test(output), "it serves all the same");
  findings.expect(!/^\s+at /m.test(output), "it shows a stack");
}

const BREAKS = 5;

/** Kills the service while it applies its migrations; then another tool leaves a migration half applied. */
async function breakOffMigrations(findings: Findings, { seed }: FaultOptions): Promise<void> {
  const stage = await Stage.build({ external: true });
  const draw = createMulberry32Generator(seed);
  try {
    await stage.server?.start();
    for (let round = 0; round < BREAKS; round += 1) {
      const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
      while (!/Updating the database/.test(service.output()) && !service.isReady()) await sleep(5);
      await sleep(draw() * 150);
      await service.crash();
    }
    await stage.start();
    const wanted = readMigrations(MIGRATIONS_FOLDER).length;
    const done = await stage.count("select count(*) from _prisma_migrations where finished_at is not null");
    const broken = await stage.count(
      "select count(*) from _prisma_migrations where finished_at is null and rolled_back_at is null",
    );
    findings.equal("migrations applied after starts that were killed", [done, broken], [wanted, 0]);
    findings.figure(
      "Migrations applied, after starts that were killed meanwhile",
      `${done} of ${wanted}, ${BREAKS}`,
    );
    await stage.stop();
    await refuseHalfApplied(stage, findings);
  } finally {
    await stage.close();
  }
}

async function refuseHalfApplied(stage: Stage, findings: Findings): Promise<void> {
  await stage.sql(
    "update _prisma_migrations set finished_at = null where migration_name = (select max(migration_name) from _prisma_migrations)",
  );
  const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
  refuses(findings, await service.ended, {
    output: service.output(),
    reason: /The migration \S+ was broken off halfway/,
  });
  findings.figure("A migration that another tool left half applied", "refused by name");
}
