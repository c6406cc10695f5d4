import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { checkRefusals } from "./database-away.ts";
import { Findings, formatMilliseconds, type Fault, type FaultOptions } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { Ledger, startLoad } from "./load.ts";
import { MAX_FAULT_RESPONSE_MS, Stage } from "./stage.ts";

/** Makes the server read-only for a while, as during a failover: it refuses each write (25006). */
export const databaseReadOnly: Fault = {
  name: "database-read-only",
  title: "Database read-only for a while under load",
  run: async (options) => {
    const findings = new Findings(options.say);
    const stage = await Stage.open({ external: true, settings: { LOG_LEVEL: "warn" } });
    try {
      await makeDatabaseReadOnlyUnderLoad(stage, findings, options);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

export async function makeDatabaseReadOnlyUnderLoad(
  stage: Stage,
  findings: Findings,
  { seed, short, earlier }: FaultOptions,
): Promise<void> {
  const { server } = stage;
  const ready = async () => (await stage.ask("GET", "/api/health/ready")).status;
  const load = startLoad(stage, { seed, writers: short ? 4 : 12, ledger: new Ledger(earlier) });
  await (short ? load.waitForAcknowledged(6) : sleep(3000));
  const began = Date.now();
  server?.configure({ default_transaction_read_only: "on" });
  server?.reload();
  await waitUntil("readiness to end", async () => (await ready()) === 503);
  findings.figure("Readiness is 503 after", formatMilliseconds(Date.now() - began));
  const { body, headers } = await stage.ask("GET", "/api/health/ready");
  findings.equal(
    "readiness",
    [body.error, Boolean(headers["retry-after"])],
    ["The database is read-only.", true],
  );
  // By now the server has told each of its processes; those that work read it before their next statement.
  const known = Date.now();
  if (short) load.slowDown();
  await sleep(short ? 1500 : 8000);
  const taken = load.ledger.between(known).filter(({ status }) => status === 201).length;
  findings.equal("reports taken by a read-only database", taken, 0);
  server?.configure({});
  server?.reload();
  const back = Date.now();
  await waitUntil("readiness", async () => (await ready()) === 200);
  findings.figure("Ready after it takes writes again", formatMilliseconds(Date.now() - back));
  const { ledger } = load;
  const written = () => ledger.between(back).some(({ status }) => status === 201);
  await waitUntil("a report that is taken", written).catch(() =>
    findings.expect(false, "no report was taken afterwards"),
  );
  if (!short) await sleep(3000);
  await load.stop();
  findings.figure("Answers while it is read-only", ledger.statuses(ledger.between(began, back)));
  findings.figure("Longest response", formatMilliseconds(ledger.longestMs));
  findings.expectWithin(ledger.longestMs, MAX_FAULT_RESPONSE_MS, { what: "a response", short });
  checkRefusals(
    findings,
    ledger.responses.filter(({ status }) => status >= 500),
  );
  findings.expect(!/unexpected error/.test(stage.output), "the log has unexpected errors");
  const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
  findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
}
