import { setTimeout as sleep } from "node:timers/promises";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import {
  Findings,
  computeQuantileOfUnsorted,
  formatMilliseconds,
  type Fault,
  type FaultOptions,
} from "./fault.ts";
import { checkAcknowledged, checkEverything } from "./integrity-checks.ts";
import { Ledger, startLoad, type Load } from "./load.ts";
import { Stage } from "./stage.ts";

/** Every fifth time the database is killed with the service, as when a machine loses power. */
const WITH_DATABASE = 5;

/** Every fourth time the service is killed before it is ready. */
const RIGHT_AWAY = 4;

/** FA4: kills the service repeatedly, in the middle of writes and uploads. */
export const killed: Fault = {
  name: "killed",
  kills: true,
  title: "kill -9 at random moments under writes and uploads",
  run: async (options) => {
    const findings = new Findings(options.say);
    const stage = await Stage.open({ settings: { LOG_LEVEL: "warn" } });
    try {
      await killServiceRepeatedly(stage, findings, options);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

export async function killServiceRepeatedly(
  stage: Stage,
  findings: Findings,
  options: FaultOptions,
): Promise<void> {
  const { kills, seed, short, earlier, say } = options;
  const draw = createMulberry32Generator(seed);
  const ledger = new Ledger(earlier);
  const acknowledgedEarlier = ledger.acknowledged.length;
  const starts: number[] = [];
  let databases = 0;
  for (let round = 1; round <= kills; round += 1) {
    const before = ledger.acknowledged.length;
    const load = startLoad(stage, { seed: seed + round, ledger });
    // Mostly in the middle of work; sometimes while the first requests are still in flight.
    if (round % RIGHT_AWAY !== 0) await load.waitForAcknowledged(short ? 3 : 1);
    await sleep(draw() * (short ? 500 : 2000));
    const both = round % WITH_DATABASE === 0;
    if (both) databases += 1;
    await crash(stage, { both, load });
    const began = performance.now();
    await stage.start();
    starts.push(performance.now() - began);
    const fresh = ledger.acknowledged.slice(before);
    const { lost } = await checkAcknowledged(stage, findings, fresh);
    if (round % 10 === 0 || round === kills)
      say(
        `  ${round} of ${kills} kills: ${ledger.acknowledged.length} acknowledged, ${lost} lost in the last round`,
      );
  }
  const counts = await checkEverything(stage, findings, { ledger });
  const unanswered = ledger.broken;
  const savedCount = await stage.count("select count(*) from incidents");
  findings.expect(
    counts.acknowledged - acknowledgedEarlier >= kills,
    "too little was acknowledged to say anything",
  );
  findings.figure("Kills, of them with the database", `${kills}, ${databases}`);
  findings.figure(
    "Reports acknowledged / lost / half there",
    `${counts.acknowledged} / ${counts.lost} / ${counts.half}`,
  );
  findings.figure("Files of them, all with the right SHA-256", counts.files);
  findings.figure(
    "Requests that broke off, and reports that were kept of them",
    `${unanswered}, ${savedCount - counts.acknowledged}`,
  );
  findings.figure(
    "From start to ready: median, longest",
    `${formatMilliseconds(computeQuantileOfUnsorted(starts, 0.5))}, ${formatMilliseconds(Math.max(...starts))}`,
  );
  findings.figure("Answers", ledger.statuses());
  findings.equal("responses of 500", ledger.responses.filter(({ status }) => status === 500).length, 0);
}

async function crash(stage: Stage, { both, load }: { both: boolean; load: Load }): Promise<void> {
  const { postmaster } = stage;
  if (both && postmaster) process.kill(postmaster, "SIGKILL");
  await stage.crash();
  await load.stop();
}
