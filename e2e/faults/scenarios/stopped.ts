import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { isPidRunning } from "#lib/process-lock.ts";
import { formatMs } from "../ledger.ts";
import { promiseReport, startLoad } from "../load.ts";
import { expectWithin, type Scenario, type Scene } from "../scenario.ts";

/** The stop signal while the service works, with a slow upload under way and one that would take a minute. */
export const stopped: Scenario = {
  name: "stopped",
  title: "SIGTERM under load",
  breaks: true,
  async disturb(scene) {
    const { stage, ledger, short } = scene;
    const { postmaster } = stage;
    // More people would be refused where other tests keep the machine busy.
    const load = startLoad(scene, short ? 6 : 12);
    await load.work(2000);
    const quick = sendSlowly(scene, 4000);
    const endless = sendSlowly(scene, 60_000);
    await sleep(short ? 300 : 1000);
    let isUnderWay = true;
    void endless.then(() => (isUnderWay = false));
    const began = performance.now();
    const ending = stage.stop();
    await waitUntil("refused connections", () => refusesConnections(stage.settings.PORT)).catch(() => {});
    // Refused while the endless upload was still served; afterwards its end alone would refuse.
    ledger.expect(isUnderWay, "a new connection is taken while it ends");
    load.slowDown();
    ledger.equal("exit code", await ending, 0);
    const took = performance.now() - began;
    await load.stop();
    ledger.figure("Ends after", formatMs(took));
    expectWithin(scene, took, { limitMs: 15_000, what: "its end" });
    ledger.equal("the upload that ended within ten seconds", await quick, 201);
    ledger.equal("the upload that did not", await endless, 0);
    ledger.expect(!isPidRunning(postmaster ?? 0), "the database server still runs");
    ledger.equal("errors", ledger.statuses(ledger.errors), "none");
    await stage.start();
  },
};

/** A second signal more than a second after the first ends the service at once. */
export const stoppedTwice: Scenario = {
  name: "stopped-twice",
  title: "SIGTERM under load, twice",
  breaks: true,
  async disturb(scene) {
    const { stage, ledger } = scene;
    const { postmaster } = stage;
    const load = startLoad(scene);
    const endless = sendSlowly(scene, 60_000);
    await sleep(1500);
    const began = performance.now();
    const ending = stage.stop();
    await sleep(1500);
    process.kill(stage.service.pid, "SIGTERM");
    ledger.equal("exit code", await ending, 1);
    const took = performance.now() - began;
    await Promise.all([load.stop(), endless]);
    await sleep(1500);
    ledger.figure("Ends after a second signal 1.5 s later, in all", formatMs(took));
    ledger.expect(took < 4000, `the second signal took ${formatMs(took)}`);
    ledger.expect(!isPidRunning(postmaster ?? 0), "the database server still runs");
    await stage.start();
  },
};

/** The signal at random moments of the first start with an empty data folder; then a start must succeed. */
export const stoppedAtStart: Scenario = {
  name: "stopped-at-start",
  title: "SIGTERM during the first start, six times",
  cold: true,
  async disturb({ stage, ledger, draw }) {
    for (let round = 0; round < 6; round += 1) {
      const dataDir = path.join(stage.folder, `data-${round}`);
      stage.settings.HEED_DATA_DIR = dataDir;
      const service = stage.launch();
      await sleep(300 + (round + draw()) * 500);
      service.child.kill("SIGTERM");
      const code = await service.ended;
      // Before the process has loaded its sources it has no signal handler, and nothing to clean up.
      const unborn = code === null && service.output() === "" && !fs.existsSync(dataDir);
      ledger.expect(code === 0 || unborn, `it ends with ${code}`);
      ledger.equal("database servers left behind", listServers(dataDir), []);
      const again = stage.launch();
      ledger.expect(await again.isReady(), `the start after it fails: ${again.output()}`);
      again.child.kill("SIGTERM");
      await again.ended;
      ledger.figure("Exit code", unborn ? "not yet begun" : String(code));
      const databaseFolder = findDatabaseFolder(dataDir);
      if (databaseFolder) fs.rmSync(databaseFolder, { recursive: true });
    }
  },
};

/** Sends a report in pieces over the given milliseconds. @returns the status; 0 when the connection was cut */
function sendSlowly({ stage, ledger }: Scene, ms: number): Promise<number> {
  const sent = promiseReport(ledger);
  const part = (name: string, value: string) =>
    `--slow\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const whole = `${part("title", sent.title)}${part("description", "x".repeat(200))}--slow--\r\n`;
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = http.request(stage.url + stage.incidents, {
    agent: false,
    method: "POST",
    headers: {
      cookie: stage.cast.maya.cookie,
      "content-type": "multipart/form-data; boundary=slow",
      "content-length": whole.length,
    },
  });
  request.on("response", async (response) => {
    const text = (await response.toArray()).join("");
    if (response.statusCode === 201) sent.id = JSON.parse(text).incident.id;
    resolve(response.statusCode ?? 0);
  });
  for (const end of ["error", "close"]) request.on(end, () => setTimeout(resolve, 100, 0));
  void sendInPieces(request, whole, ms / 100);
  return promise;
}

async function sendInPieces(request: http.ClientRequest, whole: string, pauseMs: number): Promise<void> {
  const step = Math.ceil(whole.length / 100);
  let due = performance.now();
  for (let at = 0; at < whole.length && !request.destroyed; at += step) {
    request.write(whole.slice(at, at + step));
    // A pause that was too long makes the next ones shorter.
    due += pauseMs;
    await sleep(Math.max(0, due - performance.now()));
  }
  request.end();
}

function refusesConnections(port = ""): Promise<boolean> {
  const socket = net.connect(Number(port), "127.0.0.1");
  const isRefused = new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(false));
    socket.once("error", () => resolve(true));
  });
  return isRefused.finally(() => socket.destroy());
}

/** Lists processes that serve the database of a data folder. */
function listServers(dataDir: string): string[] {
  const folder = findDatabaseFolder(dataDir) ?? path.join(dataDir, "postgres");
  const isServer = (pid: string) => {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(folder) || words.includes(`${folder}.new`);
    } catch {
      return false;
    }
  };
  return fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isServer(name));
}
