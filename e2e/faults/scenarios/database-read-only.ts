import { waitUntil } from "#e2e/support/wait.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { formatMs } from "../ledger.ts";
import { startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";

/** The server refuses each write (25006) for a while, as during a failover. */
export const databaseReadOnly: Scenario = {
  name: "database-read-only",
  title: "Database read-only for 8 s under load",
  stage: { peers: ["database"] },
  async disturb(scene) {
    const { stage, ledger, short } = scene;
    const load = startLoad(scene, short ? 4 : 12);
    await load.work(3000);
    const began = Date.now();
    stage.server?.configure({ default_transaction_read_only: "on" });
    await waitUntil("readiness to end", async () => (await stage.health("/ready")) === 503);
    // By now the server has told each of its processes; those that work read it before their next statement.
    const known = Date.now();
    const { body, headers } = await stage.ask("GET", "/api/health/ready");
    const said = [body.error, Boolean(headers["retry-after"])];
    ledger.equal("readiness", said, ["The database is read-only.", true]);
    load.slowDown();
    await sleep(short ? 1500 : 8000);
    const taken = ledger.between(known).filter(({ status }) => status === 201);
    ledger.equal("reports taken by a read-only database", taken.length, 0);
    stage.server?.configure({});
    const back = Date.now();
    await waitUntil("readiness", async () => (await stage.health("/ready")) === 200);
    const ready = Date.now();
    const written = () => ledger.between(back).some(({ status }) => status === 201);
    await waitUntil("a report that is taken", written);
    if (!short) await sleep(3000);
    await load.stop();
    ledger.figure("Readiness ends after", formatMs(known - began));
    ledger.figure("Ready after it takes writes again", formatMs(ready - back));
    ledger.figure("Responses while it is read-only", ledger.statuses(ledger.between(began, back)));
    ledger.expect(!/unexpected error/.test(stage.output), "the log has unexpected errors");
  },
};
