import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/** Longer than it takes until the jobs of each minute are queued, after a start of the worker. */
const SCHEDULE_MS = 80_000;

/** Of the jobs of each minute, so many were queued just now, by the clock of the database. */
const SCHEDULED = `select count(*) from graphile_worker._private_known_crontabs
  where identifier in ('flushSearchIndexes', 'letOutsidePeopleIn')
    and last_execution between now() - interval '90 seconds' and now()`;

/** So many jobs have ever been added. */
const JOBS =
  "select coalesce(pg_sequence_last_value(pg_get_serial_sequence('graphile_worker._private_jobs', 'id')::regclass), 0)";

const shiftFile = (stage: Stage) => path.join(stage.folder, "shift");

/** The clock of the service jumps while it works (clock-shift.ts); the database's clock doesn't. */
export const clock: Scenario = {
  name: "clock",
  title: "Clock of the service jumping by -1 h and +1 d under load",
  prepare: (stage) => {
    fs.writeFileSync(shiftFile(stage), "0");
    const preload = pathToFileURL(path.join(import.meta.dirname, "../clock-shift.ts")).href;
    stage.settings.NODE_OPTIONS = `--disable-warning=ExperimentalWarning --import=${preload}`;
    stage.settings.FAULT_CLOCK_SHIFT = shiftFile(stage);
  },
  async disturb(scene) {
    const { stage, ledger } = scene;
    const { pid } = stage.service;
    const invite = await createInvite(scene);
    // From here on the live updates know how far the clock of the database is from ours.
    await stage.ask("GET", "/api/users/me/stream?poll=1", { as: stage.cast.maya });
    const load = startLoad(scene);
    await sleep(2000);
    for (const shiftMs of [-HOUR_MS, 0, DAY_MS, 0]) await jump(scene, shiftMs, invite);
    await load.stop();
    await sleep(SCHEDULE_MS);
    ledger.equal("errors", ledger.errors.length, 0);
    ledger.equal("scheduled jobs queued within the last 90 seconds", await stage.count(SCHEDULED), 2);
    ledger.equal("process", stage.service.pid, pid);
    const escalated = await stage.count("select count(*) from incidents where escalated_at is not null");
    ledger.equal("reports that count as unanswered for too long", escalated, 0);
  },
};

async function jump({ stage, ledger }: Scene, shiftMs: number, invite: string): Promise<void> {
  const name = `${shiftMs / HOUR_MS} hours`;
  const jobs = await stage.count(JOBS);
  const from = Date.now();
  fs.writeFileSync(shiftFile(stage), String(shiftMs));
  await sleep(500);
  // A cursor of the live updates is a time of the service's clock.
  const poll = await stage.ask("GET", "/api/users/me/stream?poll=1", { as: stage.cast.maya });
  const ahead = Number(poll.body?.cursor) - Date.now();
  ledger.expect(Math.abs(ahead - shiftMs) < 5000, `${name}: the clock of the service stands at ${ahead} ms`);
  // Ahead of time for long enough that the schedule stores a time of the future.
  await sleep(shiftMs > 0 ? SCHEDULE_MS : 5000);
  const { status, body } = await stage.ask("GET", "/api/session", { as: stage.cast.omar });
  // A session holds at most a day (contract 4.3): a clock that is a day ahead ends it, and one that goes back never does.
  const isSignedIn = status === 200 && (shiftMs === DAY_MS || Boolean(body.user));
  ledger.expect(isSignedIn, `${name}: session check ${status} ${JSON.stringify(body)}`);
  const seen = await stage.ask("GET", `/api/invites/${invite}`);
  ledger.equal(`${name}: invite, by the clock of the database`, seen.body?.invite?.usable ?? seen.body, true);
  const queued = (await stage.count(JOBS)) - jobs;
  ledger.figure(`${name}: responses; jobs queued`, `${ledger.statuses(ledger.between(from))}; ${queued}`);
}

/** Creates an invite that the database takes for valid for another two hours. @returns its code */
async function createInvite({ stage, ledger }: Scene): Promise<string> {
  const expiresAt = new Date(Date.now() + 2 * HOUR_MS).toISOString();
  const request = { as: stage.cast.ada, body: { role: "Reporter", expiresAt } };
  const at = stage.incidents.replace(/incidents$/, "invites");
  const { status, body, text } = await stage.ask("POST", at, request);
  ledger.expect(status === 201, `an invite: ${text}`);
  return body?.invite?.code ?? "";
}
