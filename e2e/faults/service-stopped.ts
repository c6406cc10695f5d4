import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import http from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isPidRunning } from "#lib/process-lock.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { Findings, formatMilliseconds, type Fault, type FaultOptions } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { launchService } from "./launch.ts";
import { Ledger, startLoad } from "./load.ts";
import { Stage } from "./stage.ts";

/** FA8: sends the stop signal while the service works, twice in a row, and during its first start. */
export const stopped: Fault = {
  name: "stopped",
  title: "SIGTERM under load, twice, and during the first start",
  run: async (options) => {
    const findings = new Findings(options.say);
    const stage = await Stage.open({ settings: { LOG_LEVEL: "warn" } });
    try {
      const ledger = await stopServiceUnderLoad(stage, findings, options);
      if (!options.short) await stopTwice(stage, findings, ledger);
    } finally {
      await stage.close();
    }
    if (!options.short) await stopWhileStarting(findings, options);
    return findings;
  },
};

export async function stopServiceUnderLoad(
  stage: Stage,
  findings: Findings,
  { seed, short, earlier }: FaultOptions,
): Promise<Ledger> {
  const { postmaster } = stage;
  // More of them would be refused where other tests keep the machine busy.
  const load = startLoad(stage, { seed, writers: short ? 6 : 12, ledger: new Ledger(earlier) });
  await (short ? load.waitForAcknowledged(6) : sleep(2000));
  const quick = slowReport(stage, 4000);
  const endless = slowReport(stage, 60_000);
  await sleep(short ? 300 : 1000);
  let isUnderWay = true;
  void endless.then(() => (isUnderWay = false));
  const began = performance.now();
  const ending = stage.stop();
  // The endless upload keeps it running for ten seconds, in which it takes no connections.
  const port = Number(stage.settings.PORT);
  await waitUntil("refused connections", () => refusesConnections(port)).catch(() => {});
  // Refused while the endless upload was still served; afterwards its end alone would refuse.
  const refused = isUnderWay;
  if (short) load.slowDown();
  const code = await ending;
  const took = performance.now() - began;
  await load.stop();
  findings.figure("Ends after, with an upload that would take a minute under way", formatMilliseconds(took));
  findings.figure("Upload that took four seconds", (await quick) || "cut off");
  findings.equal("exit code", code, 0);
  findings.expectWithin(took, 15_000, { what: "its end", short });
  findings.equal("status of the upload that ended within ten seconds", await quick, 201);
  findings.equal("status of the upload that did not", await endless, 0);
  findings.expect(refused, "a new connection is taken while it ends");
  findings.expect(!isPidRunning(postmaster ?? 0), "the database server still runs");
  findings.equal(
    "responses of 500 or more",
    load.ledger.responses.filter(({ status }) => status >= 500).length,
    0,
  );
  return load.ledger;
}

/** Sends a second signal more than a second after the first, which ends the service at once; nothing may be lost. */
async function stopTwice(stage: Stage, findings: Findings, ledger: Ledger): Promise<void> {
  await stage.start();
  const { postmaster } = stage;
  const load = startLoad(stage, { seed: 2, ledger });
  const endless = slowReport(stage, 60_000);
  await sleep(1500);
  const began = performance.now();
  const ending = stage.stop();
  await sleep(1500);
  process.kill(stage.service.pid, "SIGTERM");
  const code = await ending;
  const took = performance.now() - began;
  await Promise.all([load.stop(), endless]);
  await sleep(1500);
  findings.figure(
    "Ends after a second SIGTERM 1.5 s later, exit code",
    `${formatMilliseconds(took)}, ${code}`,
  );
  findings.equal("exit code of the second signal", code, 1);
  findings.expect(took < 4000, `the second signal took ${formatMilliseconds(took)}`);
  findings.expect(!isPidRunning(postmaster ?? 0), "the database server still runs after the second signal");
  await stage.start();
  const { acknowledged, lost, half } = await checkEverything(stage, findings, {
    ledger: await withSlow(stage, ledger),
  });
  findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
}

const SLOW_TITLE = "A report that is sent slowly";

/** Adds the report of `slowReport`, which is checked separately. */
async function withSlow(stage: Stage, ledger: Ledger): Promise<Ledger> {
  await stage.sql("delete from incidents where title = $1", [SLOW_TITLE]);
  return ledger;
}

/**
 * Sends a report of three fields in pieces over the given milliseconds. @returns the status; 0 when the connection was
 * cut
 */
function slowReport(stage: Stage, ms: number): Promise<number> {
  const { eventId, maya } = stage.cast;
  const boundary = "a-slow-boundary";
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const whole = `${part("title", SLOW_TITLE)}${part("description", "x".repeat(200))}--${boundary}--\r\n`;
  const request = http.request(`${stage.url}/api/events/${eventId}/incidents`, {
    agent: false,
    method: "POST",
    headers: {
      cookie: maya.cookie,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": whole.length,
    },
  });
  const responseStatus = new Promise<number>((resolve) => {
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", () => resolve(0));
    request.on("close", () => resolve(0));
  });
  void sendInPieces(request, whole, ms / 100);
  return responseStatus;
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

async function refusesConnections(port: number): Promise<boolean> {
  const socket = net.connect(port, "127.0.0.1");
  const outcome = await Promise.race([
    once(socket, "connect").then(() => "connected"),
    once(socket, "error").then(() => "refused"),
  ]).catch(() => "refused");
  socket.destroy();
  return outcome === "refused";
}

const FIRST_STARTS = 6;

/** Sends the signal at a different moment of each start with an empty data folder; then a start must succeed. */
async function stopWhileStarting(findings: Findings, { seed }: FaultOptions): Promise<void> {
  const draw = createMulberry32Generator(seed);
  const ends: string[] = [];
  for (let round = 0; round < FIRST_STARTS; round += 1) {
    const stage = await Stage.build();
    try {
      const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
      await sleep(300 + (round + draw()) * 500);
      service.signal("SIGTERM");
      const code = await service.ended;
      // Before the process has loaded its sources it has no signal handler, and nothing to clean up.
      const unborn = code === null && service.output() === "" && !fs.existsSync(stage.dataDir);
      ends.push(unborn ? "not yet begun" : String(code));
      findings.equal("database servers left behind", serversOf(stage.dataDir), []);
      const again = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
      findings.expect(await again.ready(), `the start after it fails: ${again.output()}`);
      again.signal("SIGTERM");
      await again.ended;
    } finally {
      await stage.close();
    }
  }
  findings.figure(`Exit codes of ${FIRST_STARTS} first starts that were told to end`, ends.join(", "));
  const inOrder = ends.every((end) => end === "0" || end === "not yet begun");
  findings.expect(inOrder, `exit codes ${ends.join(", ")}`);
}

/** Processes that serve the database of a data folder. */
function serversOf(dataDir: string): number[] {
  const databaseFolder = findDatabaseFolder(dataDir) ?? path.join(dataDir, "postgres");
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) =>
      commandOf(name).some((word) => word === databaseFolder || word === `${databaseFolder}.new`),
    )
    .map(Number);
}

function commandOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
