import { Findings, type Fault } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { startLoad } from "./load.ts";
import { Stage } from "./stage.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** FA11: causes an exception that no code expects, by removing a table. */
export const unexpected: Fault = {
  name: "unexpected",
  title: "An unexpected error in a handler",
  run: async ({ seed, say }) => {
    const findings = new Findings(say);
    const stage = await Stage.open();
    try {
      await missTable(stage, findings, seed);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

async function missTable(stage: Stage, findings: Findings, seed: number): Promise<void> {
  const { omar } = stage.cast;
  const load = startLoad(stage, { seed });
  const { pid } = stage.service;
  await stage.sql("alter table saved_views rename to saved_views_elsewhere");
  const reply = await stage.ask("GET", "/api/users/me/saved-views", { as: omar });
  await stage.sql("alter table saved_views_elsewhere rename to saved_views");
  const id = String(reply.headers["x-request-id"]);
  findings.equal("status and code", [reply.status, reply.body?.code], [500, "INTERNAL_ERROR"]);
  findings.expect(
    !/saved_views|42P01|relation|\bat\b .*:\d+/.test(reply.text),
    "the response names the cause",
  );
  const line = stage.output.split("\n").find((one) => one.includes(id) && one.includes("unexpected error"));
  findings.expect(line?.includes("42P01") ?? false, `the log has no line with the cause and ${id}`);
  await sleep(1000);
  await load.stop();
  findings.equal(
    "status afterwards",
    (await stage.ask("GET", "/api/users/me/saved-views", { as: omar })).status,
    200,
  );
  findings.equal("process", stage.service.pid, pid);
  const { acknowledged, lost } = await checkEverything(stage, findings, { ledger: load.ledger });
  findings.figure(
    "Response, and what the log has under its request id",
    `${reply.status} ${reply.body?.code}, SQLSTATE and stack`,
  );
  findings.figure("Other requests meanwhile", load.ledger.statuses());
  findings.figure("Reports acknowledged / lost", `${acknowledged} / ${lost}`);
}
