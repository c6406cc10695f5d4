import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import type { DatabaseServer } from "../database-server.ts";
import { formatMs } from "../ledger.ts";
import { startStream } from "../live-stream.ts";
import { sendAndRecord, startLoad } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";

/** The time that a request waits for a database connection (DATABASE_ACQUIRE_MS), plus a second. */
const QUICK_MS = 6000;

export const databaseStopped: Scenario = {
  name: "database-stopped",
  title: "Database stopped for 10 s under load",
  stage: { peers: ["database"] },
  disturb: (scene) =>
    takeAway(scene, { away: (server) => server.stop(), back: (server) => server.start(), seconds: 10 }),
};

/** Connections stay open without any response, as with a stalled disk or a cut cable. */
export const databaseSilent: Scenario = {
  name: "database-silent",
  title: "Database frozen for 20 s under load",
  stage: { peers: ["database"] },
  disturb: (scene) =>
    takeAway(scene, {
      away: (server) => server.signalAll("SIGSTOP"),
      back: (server) => server.signalAll("SIGCONT"),
      seconds: 20,
    }),
};

type Move = (server: DatabaseServer) => Promise<void> | void;

async function takeAway(scene: Scene, given: { away: Move; back: Move; seconds: number }): Promise<void> {
  const { stage, ledger } = scene;
  const server = stage.server as DatabaseServer;
  const checkStream = await startStream(scene);
  const load = startLoad(scene, 16);
  const asking: Promise<unknown>[] = [];
  const askHealth = () => asking.push(sendAndRecord(scene, "health", () => stage.ask("GET", "/api/health")));
  const polling = setInterval(askHealth, 200);
  await sleep(3000);
  const began = Date.now();
  await given.away(server);
  await sleep(given.seconds * 1000);
  await given.back(server);
  const back = Date.now();
  await waitUntil("a healthy service", async () => (await stage.health()) === 200);
  const healthy = Date.now();
  await sleep(4000);
  clearInterval(polling);
  await Promise.all([load.stop(), ...asking]);
  const first = Math.min(...ledger.errors.map(({ at, ms }) => at + ms)) - began;
  const taken = ledger.firstReportSince(back) - back;
  ledger.figure("First 503 after", formatMs(first));
  ledger.figure("Responses while it is away", ledger.statuses(ledger.between(began, back)));
  const times = `${formatMs(healthy - back)}, ${formatMs(taken)}`;
  ledger.figure("Healthy, and first report taken, after it is back", times);
  ledger.expect(first <= QUICK_MS, `the first 503 took ${formatMs(first)}`);
  ledger.expect(taken < Infinity, "no report was taken afterwards");
  const late = ledger.errors.filter(({ at }) => at >= healthy + 3000);
  ledger.equal("errors later than three seconds after it is healthy", late.length, 0);
  await checkStream();
}
