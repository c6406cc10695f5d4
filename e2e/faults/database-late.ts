import { setTimeout as sleep } from "node:timers/promises";
import { Findings, formatMilliseconds, type Fault } from "./fault.ts";
import { launchService } from "./launch.ts";
import { Stage } from "./stage.ts";

const LATE_MS = 5000;

/** FA1: starts the service before its database, and without any database. */
export const databaseLate: Fault = {
  name: "database-late",
  title: "Start without the database",
  run: async ({ say }) => {
    const findings = new Findings(say);
    const stage = await Stage.build({ external: true });
    try {
      await startBefore(stage, findings);
      await startInVain(stage, findings);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

async function startBefore(stage: Stage, findings: Findings): Promise<void> {
  const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
  await sleep(LATE_MS);
  findings.expect(!service.isReady(), "it says that it is ready without a database");
  findings.expect(/Waiting for the database at/.test(service.output()), "it does not say what it waits for");
  await stage.server?.start();
  const began = performance.now();
  findings.expect(await service.ready(), "it does not get ready once the database is there");
  const health = await stage.ask("GET", "/api/health");
  findings.equal("health", health.status, 200);
  findings.figure(
    `Database ${formatMilliseconds(LATE_MS)} late: ready after it came`,
    formatMilliseconds(performance.now() - began),
  );
  service.signal("SIGTERM");
  findings.equal("exit code", await service.ended, 0);
}

async function startInVain(stage: Stage, findings: Findings): Promise<void> {
  await stage.server?.stop();
  const began = performance.now();
  const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
  const code = await service.ended;
  findings.figure("No database at all: gives up after", formatMilliseconds(performance.now() - began));
  findings.equal("exit code without a database", code, 1);
  const said = /The database at \S+ could not be reached within 30 seconds/.test(service.output());
  findings.expect(said, `it does not say why it ends: ${service.output().slice(-300)}`);
}
