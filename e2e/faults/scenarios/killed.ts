import { setTimeout as sleep } from "node:timers/promises";
import { checkAcknowledged } from "../integrity.ts";
import { computeQuantile, formatMs } from "../ledger.ts";
import { startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";

/** Every fifth time the database is killed with the service, as when a machine loses power. */
const WITH_DATABASE = 5;

/** Every fourth time the service is killed while its first requests are still in flight. */
const RIGHT_AWAY = 4;

export const killed: Scenario = {
  name: "killed",
  title: "kill -9 at random moments under writes and uploads",
  breaks: true,
  async disturb(scene) {
    const { stage, ledger, kills, short, draw } = scene;
    const earlier = ledger.acknowledged.length;
    const starts: number[] = [];
    for (let round = 1; round <= kills; round += 1) {
      const before = ledger.acknowledged.length;
      const load = startLoad(scene);
      // Mostly in the middle of work.
      if (round % RIGHT_AWAY !== 0) await load.work(200, 3);
      await sleep(draw() * (short ? 500 : 2000));
      await stage.crash(round % WITH_DATABASE === 0);
      await load.stop();
      const began = performance.now();
      await stage.start();
      starts.push(performance.now() - began);
      await checkAcknowledged(scene, before);
    }
    const times = [computeQuantile(starts, 0.5), Math.max(...starts)].map(formatMs).join(", ");
    const kept = (await stage.count("select count(*) from incidents")) - ledger.acknowledged.length;
    ledger.figure("Kills, of them with the database", `${kills}, ${Math.floor(kills / WITH_DATABASE)}`);
    ledger.figure("From start to ready: median, longest", times);
    ledger.figure("Requests that broke off, and reports that were kept of them", `${ledger.broken}, ${kept}`);
    ledger.expect(
      ledger.acknowledged.length - earlier >= kills,
      "too little was acknowledged to say anything",
    );
  },
};
