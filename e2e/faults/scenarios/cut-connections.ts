import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";

/** Connections whose open transaction has written something. */
const CUT = `select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename = current_user
  and backend_xid is not null`;

export const cutConnections: Scenario = {
  name: "cut-connections",
  title: "Connections cut in mid-transaction (pg_terminate_backend), twice as often as --kills says",
  async disturb(scene) {
    const wanted = scene.kills * 2;
    const load = startLoad(scene, 12);
    let cut = 0;
    for (const end = Date.now() + 60_000; cut < wanted && Date.now() < end; await sleep(scene.draw() * 60))
      cut += await scene.stage.count(CUT);
    await sleep(500);
    await load.stop();
    scene.ledger.expect(cut >= wanted, `only ${cut} transactions could be cut`);
    scene.ledger.figure("Transactions cut", cut);
  },
};
