import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { Findings, type Fault } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { startLoad, type Load } from "./load.ts";
import { Stage } from "./stage.ts";

const HOUR_MS = 3600_000;

/** Jumps of the service's clock, back and forth, in milliseconds from the correct time. */
const JUMPS: [string, number][] = [
  ["one hour back", -HOUR_MS],
  ["right again", 0],
  ["one day ahead", 24 * HOUR_MS],
  ["right again after that", 0],
];

/**
 * FA7: the clock of the service jumps while it works; the database's clock doesn't. It shifts JavaScript's clock
 * (clock-shift.ts), which is the one that the service reads.
 */
export const clock: Fault = {
  name: "clock",
  title: "Clock of the service jumping by -1 h and +1 d under load",
  run: async ({ seed, say }) => {
    const findings = new Findings(say);
    const stage = await Stage.build({ settings: { LOG_LEVEL: "warn" } });
    const shift = path.join(stage.folder, "shift");
    fs.writeFileSync(shift, "0");
    const preload = pathToFileURL(path.join(import.meta.dirname, "clock-shift.ts")).href;
    Object.assign(stage.settings, {
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
      FAULT_CLOCK_SHIFT: shift,
    });
    try {
      await stage.startWithPeople();
      await jump(stage, findings, { seed, shift });
    } finally {
      await stage.close();
    }
    return findings;
  },
};

async function jump(
  stage: Stage,
  findings: Findings,
  { seed, shift }: { seed: number; shift: string },
): Promise<void> {
  const { pid } = stage.service;
  const invite = await validInvite(stage, findings);
  // From here on the live updates know how far the clock of the database is from ours.
  await stage.ask("GET", "/api/users/me/stream?poll=1", { as: stage.cast.maya });
  const load = startLoad(stage, { seed });
  await sleep(2000);
  for (const [name, shiftMs] of JUMPS) {
    const jobs = await stage.count(JOBS);
    fs.writeFileSync(shift, String(shiftMs));
    await sleep(500);
    // A cursor of the live updates is a time of the service's clock.
    const poll = await stage.ask("GET", "/api/users/me/stream?poll=1", { as: stage.cast.maya });
    const ahead = Number(poll.body?.cursor) - Date.now();
    findings.expect(
      Math.abs(ahead - shiftMs) < 5000,
      `${name}: the clock of the service stands at ${ahead} ms`,
    );
    const from = Date.now();
    // Ahead of time for long enough that the schedule stores a time of the future.
    await sleep(shiftMs > 0 ? SCHEDULE_MS : 5000);
    await checkMail(stage, findings, { name, shiftMs, load, from, invite });
    findings.figure(
      `${name}: responses; jobs queued, mails of new reports among them`,
      `${load.ledger.statuses(load.ledger.between(from))}; ${(await stage.count(JOBS)) - jobs}`,
    );
  }
  await load.stop();
  await sleep(SCHEDULE_MS);
  findings.equal(
    "scheduled jobs that were queued within the last 90 seconds",
    await stage.count(SCHEDULED),
    3,
  );
  findings.equal("process", stage.service.pid, pid);
  const escalated = await stage.count("select count(*) from incidents where escalated_at is not null");
  findings.equal("reports that count as unanswered for too long", escalated, 0);
  const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger: load.ledger });
  findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
  const mails = fs.existsSync(path.join(stage.dataDir, "outbox"))
    ? fs.readdirSync(path.join(stage.dataDir, "outbox")).length
    : 0;
  findings.figure("Mails", mails);
}

/** Longer than it takes until the jobs of each minute are queued, after a start of the worker. */
const SCHEDULE_MS = 80_000;

/** Of the jobs of each minute, so many were queued just now, by the clock of the database. */
const SCHEDULED = `
  select count(*) from graphile_worker._private_known_crontabs
  where identifier in ('flushSearchIndexes', 'referIncidents')
    and last_execution between now() - interval '90 seconds' and now()`;

/** Of the queue, so many have ever been added. */
const JOBS =
  "select coalesce(pg_sequence_last_value(pg_get_serial_sequence('graphile_worker._private_jobs', 'id')::regclass), 0)";

type Seen = { name: string; shiftMs: number; load: Load; from: number; invite: string };

/** A session holds at most a day (contract 4.3): a clock that is a day ahead ends it, and one that goes back never does. */
async function checkMail(
  stage: Stage,
  findings: Findings,
  { name, shiftMs, load, from, invite }: Seen,
): Promise<void> {
  const errors = load.ledger.between(from).filter(({ status }) => status >= 500);
  findings.equal(`${name}: errors`, errors.length, 0);
  const { status, body } = await stage.ask("GET", "/api/session", { as: stage.cast.omar });
  findings.equal(`${name}: session check`, status, 200);
  if (shiftMs < 24 * HOUR_MS) findings.equal(`${name}: signed in`, Boolean(body.user), true);
  const seen = await stage.ask("GET", `/api/invites/${invite}`);
  findings.equal(
    `${name}: invite, by the clock of the database`,
    seen.body?.invite?.usable ?? seen.body,
    true,
  );
}

/** An invite that the database takes for valid for another two hours. */
async function validInvite(stage: Stage, findings: Findings): Promise<string> {
  const { ada, slug } = stage.cast;
  const expiresAt = new Date(Date.now() + 2 * HOUR_MS).toISOString();
  const { status, body, text } = await stage.ask("POST", `/api/events/slug/${slug}/invites`, {
    as: ada,
    body: { role: "Reporter", expiresAt },
  });
  findings.expect(status === 201, `an invite: ${text}`);
  return body?.invite?.code ?? "";
}
