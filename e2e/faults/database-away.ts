import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "#e2e/support/client.ts";
import { EventStream, type LiveEvent } from "#e2e/support/event-stream.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { Findings, formatMilliseconds, type Fault, type FaultOptions } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { Ledger, sendReport, startLoad, sendAndRecord, type RecordedResponse, type Load } from "./load.ts";
import { MAX_FAULT_RESPONSE_MS, Stage } from "./stage.ts";

/** The time that a request waits for a database connection (DATABASE_ACQUIRE_MS), plus a second. */
const QUICK_MS = 6000;

/** FA2: stops the database for a while, under load. */
export const databaseStopped: Fault = {
  name: "database-stopped",
  title: "Database stopped for 10 s under load",
  run: (options) =>
    awayFor(options, {
      external: true,
      begin: async ({ server }) => server?.stop(),
      end: async ({ server }) => server?.start(),
      seconds: 10,
    }),
};

/** FA2: keeps connections open without any response, like a stalled disk or a cut cable. */
export const databaseSilent: Fault = {
  name: "database-silent",
  title: "Database frozen for 20 s under load",
  run: (options) =>
    awayFor(options, {
      external: true,
      begin: async ({ server }) => server?.signalAll("SIGSTOP"),
      end: async ({ server }) => server?.signalAll("SIGCONT"),
      seconds: 20,
    }),
};

/** FA2: kills the embedded database, which the service has to restart. */
export const databaseKilled: Fault = {
  name: "database-killed",
  title: "Embedded database killed (-9) under load, three times",
  run: async (options) => {
    const findings = new Findings(options.say);
    const stage = await Stage.open({ settings: { LOG_LEVEL: "warn" } });
    try {
      await killDatabaseUnderLoad(stage, findings, options);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

type Absence = {
  external: boolean;
  begin(stage: Stage): Promise<void> | void;
  end(stage: Stage): Promise<void> | void;
  seconds: number;
};

async function awayFor(options: FaultOptions, absence: Absence): Promise<Findings> {
  const findings = new Findings(options.say);
  const stage = await Stage.open({ external: absence.external, settings: { LOG_LEVEL: "warn" } });
  try {
    await takeAway(stage, findings, { ...absence, seed: options.seed });
  } finally {
    await stage.close();
  }
  return findings;
}

async function takeAway(stage: Stage, findings: Findings, given: Absence & { seed: number }): Promise<void> {
  const stream = await openStream(stage);
  const load = startLoad(stage, { seed: given.seed, writers: 16 });
  const health = pollHealth(stage, load.ledger);
  await sleep(3000);
  const began = Date.now();
  await given.begin(stage);
  await sleep(given.seconds * 1000);
  await given.end(stage);
  const back = Date.now();
  await waitUntil("a healthy service", async () => (await stage.ask("GET", "/api/health")).status === 200);
  const healthy = Date.now();
  await sleep(4000);
  await Promise.all([load.stop(), health.stop()]);
  reportAbsence(findings, load.ledger, { began, back, healthy });
  await checkRecovery(stage, findings, { stream, load });
}

type Moments = { began: number; back: number; healthy: number };

function reportAbsence(findings: Findings, ledger: Ledger, { began, back, healthy }: Moments): void {
  const before = ledger.between(0, began - 1);
  const during = ledger.between(began, back);
  const after = ledger.between(back);
  const refused = ledger.between(began).filter(({ status }) => status >= 500);
  const first = Math.min(...refused.map(({ at, ms }) => at + ms));
  const written = after.filter(({ what, status }) => what === "report" && status === 201);
  const firstWrite = Math.min(...written.map(({ at, ms }) => at + ms));
  findings.figure("First 503 after", formatMilliseconds(first - began));
  findings.figure(
    "p99 before, while it is away, afterwards",
    [before, during, after].map((some) => formatMilliseconds(ledger.p99(some))).join(", "),
  );
  findings.figure("Longest response", formatMilliseconds(ledger.longestMs));
  findings.figure("Answers while it is away", ledger.statuses(during));
  findings.figure(
    "Healthy, and first report taken, after it is back",
    `${formatMilliseconds(healthy - back)}, ${formatMilliseconds(firstWrite - back)}`,
  );
  findings.expect(first - began <= QUICK_MS, `the first 503 took ${formatMilliseconds(first - began)}`);
  findings.expect(
    ledger.longestMs <= MAX_FAULT_RESPONSE_MS,
    `a response took ${formatMilliseconds(ledger.longestMs)}`,
  );
  findings.expect(written.length > 0, "no report was taken afterwards");
  checkRefusals(findings, refused);
  const late = ledger.between(healthy + 3000).filter(({ status }) => status >= 500);
  findings.equal("refusals later than three seconds after it is healthy", late.length, 0);
}

/** Checks that every refusal is a 503 with its code and Retry-After, and none is an internal error. */
export function checkRefusals(findings: Findings, refused: readonly RecordedResponse[]): void {
  const others = refused.filter(({ status, code }) => status !== 503 || code !== "SERVICE_UNAVAILABLE");
  findings.equal(
    "other errors than 503",
    others.map(({ what, status, code }) => `${what} ${status} ${code}`),
    [],
  );
  findings.equal("refusals without Retry-After", refused.filter(({ retryAfter }) => !retryAfter).length, 0);
}

/**
 * Checks that the stream which was open during the fault reports a new report, or requests a reload if it may have
 * missed one, and that every acknowledged report exists.
 */
async function checkRecovery(
  stage: Stage,
  findings: Findings,
  { stream, load }: { stream: EventStream; load: Load },
): Promise<void> {
  const { ledger } = load;
  const heard = stream.events.length;
  await sendReport(stage, { ledger, files: false });
  const { id } = ledger.reports.at(-1) ?? {};
  findings.expect(id !== undefined, "a report is not taken afterwards");
  const announcesIncident = ({ event, data }: LiveEvent) => event === "reload" || data.incidentId === id;
  const announcement = await waitUntil("news of it", () =>
    stream.events.slice(heard).find(announcesIncident),
  ).catch(() => undefined);
  findings.expect(announcement !== undefined, "the live stream that was open does not tell of a new report");
  findings.expect(!stream.ended, "the live stream has ended");
  stream.close();
  const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
  findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
  findings.equal("broken connections", ledger.broken, 0);
}

export async function killDatabaseUnderLoad(
  stage: Stage,
  findings: Findings,
  { seed, short, earlier }: FaultOptions,
): Promise<void> {
  const stream = await openStream(stage);
  const load = startLoad(stage, { seed, writers: 8, ledger: new Ledger(earlier) });
  const pauses: number[] = [];
  const restarts = () => stage.output.split("The database server has ended").length - 1;
  for (let round = 0; round < (short ? 1 : 3); round += 1) {
    await (short ? load.waitForAcknowledged(8) : sleep(3000));
    process.kill(stage.postmaster ?? 0, "SIGKILL");
    const began = Date.now();
    if (short) load.slowDown();
    const isBack = async () => (await stage.ask("GET", "/api/health")).status === 200;
    // The service may have restarted it before it is asked.
    await waitUntil("the database to go", async () => !(await isBack()) || restarts() > round);
    const seen = await sessionSeen(stage, findings);
    findings.expect(seen === 503 || (await isBack()), "a session is known while the database is away");
    await waitUntil("the database to come back", isBack);
    findings.equal("session check afterwards", await sessionSeen(stage, findings), 200);
    pauses.push(Date.now() - began);
  }
  await (short ? load.waitForAcknowledged(1) : sleep(2000));
  await load.stop();
  const [, afterStart = ""] = stage.output.split(/Heed is ready on \S+\n/);
  const plain = afterStart.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  findings.equal("lines of the log that aren't JSON", plain, []);
  findings.expect(/The database server has ended/.test(afterStart), "the log doesn't name the restart");
  const refused = load.ledger.responses.filter(({ status }) => status >= 500);
  findings.figure("From the kill until it is healthy again", pauses.map(formatMilliseconds).join(", "));
  findings.figure("Answers", load.ledger.statuses());
  findings.figure("Longest response", formatMilliseconds(load.ledger.longestMs));
  findings.expectWithin(load.ledger.longestMs, MAX_FAULT_RESPONSE_MS, { what: "a response", short });
  checkRefusals(findings, refused);
  await checkRecovery(stage, findings, { stream, load });
}

const openStream = (stage: Stage): Promise<EventStream> =>
  EventStream.open(new Client(stage.url, { countRows: async () => ({}) }, stage.cast.omar.cookie));

/**
 * Checks the session: a signed-in person is recognized or the check is unavailable, but they are never reported as
 * signed out, and keep the cookie. @returns the status
 */
async function sessionSeen(stage: Stage, findings: Findings): Promise<number> {
  const { status, body, headers } = await stage.ask("GET", "/api/session", { as: stage.cast.omar });
  const isCertain =
    status === 200 ? body.authenticated === true : status === 503 && body.authenticated === undefined;
  findings.expect(isCertain, `the session check responds with ${status} ${JSON.stringify(body)}`);
  findings.expect(!headers["set-cookie"], "the session check touches the cookie");
  return status;
}

/** Requests the health endpoint five times a second, without waiting for the previous response. */
function pollHealth(stage: Stage, ledger: Ledger): { stop(): Promise<void> } {
  const requests: Promise<unknown>[] = [];
  const ask = () => requests.push(sendAndRecord(ledger, "health", () => stage.ask("GET", "/api/health")));
  const polling = setInterval(ask, 200);
  return {
    stop: async () => {
      clearInterval(polling);
      await Promise.all(requests);
    },
  };
}
