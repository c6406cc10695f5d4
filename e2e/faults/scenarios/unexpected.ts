import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";

/** An exception that no code expects: a table is missing for a moment. */
export const unexpected: Scenario = {
  name: "unexpected",
  title: "An unexpected error in a handler",
  async disturb(scene) {
    const { stage, ledger } = scene;
    const load = startLoad(scene);
    const { pid } = stage.service;
    const ask = () => stage.ask("GET", "/api/users/me/saved-views", { as: stage.cast.omar });
    await stage.sql("alter table saved_views rename to saved_views_elsewhere");
    const reply = await ask();
    await stage.sql("alter table saved_views_elsewhere rename to saved_views");
    const id = String(reply.headers["x-request-id"]);
    ledger.equal("status and code", [reply.status, reply.body?.code], [500, "INTERNAL_ERROR"]);
    const names = /saved_views|42P01|relation|\bat\b .*:\d+/.test(reply.text);
    ledger.expect(!names, "the response names the cause");
    const line = stage.output.split("\n").find((one) => one.includes(id) && one.includes("unexpected error"));
    ledger.expect(line?.includes("42P01") ?? false, `the log has no line with the cause and ${id}`);
    await sleep(1000);
    await load.stop();
    ledger.equal("status afterwards", (await ask()).status, 200);
    ledger.equal("process", stage.service.pid, pid);
  },
};
