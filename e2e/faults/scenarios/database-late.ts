import { setTimeout as sleep } from "node:timers/promises";
import { formatMs } from "../ledger.ts";
import type { Scenario } from "../scenario.ts";

const LATE_MS = 5000;

export const databaseLate: Scenario = {
  name: "database-late",
  title: "Start before the database, and without one",
  stage: { peers: ["database"], settings: { LOG_LEVEL: "info" } },
  cold: true,
  async disturb({ stage, ledger }) {
    const service = stage.launch();
    await sleep(LATE_MS);
    ledger.expect(!service.output().includes("Heed is ready"), "it is ready without a database");
    ledger.expect(/Waiting for the database at/.test(service.output()), "it does not say what it waits for");
    await stage.server?.start();
    const began = performance.now();
    ledger.expect(await service.isReady(), "it does not get ready once the database is there");
    ledger.equal("health", await stage.health(), 200);
    ledger.figure(`Database ${formatMs(LATE_MS)} late: ready after`, formatMs(performance.now() - began));
    service.child.kill("SIGTERM");
    ledger.equal("exit code", await service.ended, 0);

    await stage.server?.stop();
    const startedAt = performance.now();
    const inVain = stage.launch();
    ledger.equal("exit code without a database", await inVain.ended, 1);
    ledger.figure("No database at all: gives up after", formatMs(performance.now() - startedAt));
    const said = /The database at \S+ could not be reached within 30 seconds/.test(inVain.output());
    ledger.expect(said, `it does not say why it ends: ${inVain.output().slice(-300)}`);
  },
};
