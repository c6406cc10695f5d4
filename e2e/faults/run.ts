import fs from "node:fs";
import path from "node:path";
import { parseArgumentsOrExit } from "#lib/command-line/arguments.ts";
import { buildIfOutdated, PROJECT_ROOT } from "#lib/build/prepare.ts";
import { formatMilliseconds, type Fault, type Findings } from "./fault.ts";
import { clock } from "./clock.ts";
import { cutConnections } from "./cut-connections.ts";
import { databaseKilled, databaseSilent, databaseStopped } from "./database-away.ts";
import { databaseLate } from "./database-late.ts";
import { databaseReadOnly } from "./database-read-only.ts";
import { fullDisk } from "./disk.ts";
import { failover, failoverBehindHaproxy } from "./failover.ts";
import { killed } from "./service-killed.ts";
import { mail } from "./mail.ts";
import { objectStorage } from "./object-storage.ts";
import { pooler } from "./pooler.ts";
import { proxies } from "./proxies.ts";
import { refusedStarts } from "./refused-starts.ts";
import { stopped } from "./service-stopped.ts";
import { unexpected } from "./uncaught-errors.ts";

/**
 * `npm run faults`: causes faults with real processes and checks their effects. docs/reliability.md describes each
 * fault, and has the figures of the last run with `--write`.
 */

const FAULTS: Fault[] = [
  databaseLate,
  databaseStopped,
  databaseSilent,
  databaseKilled,
  databaseReadOnly,
  failover,
  failoverBehindHaproxy,
  pooler,
  proxies,
  cutConnections,
  killed,
  fullDisk,
  mail,
  objectStorage,
  clock,
  stopped,
  refusedStarts,
  unexpected,
];

const DOCUMENT = path.join(PROJECT_ROOT, "docs/reliability.md");

const USAGE = `npm run faults [-- OPTIONS]
Brings faults about with real processes and looks at what comes of them.
  --only NAME  that fault alone; may be given several times: ${FAULTS.map(({ name }) => name).join(", ")}
  --kills N    how often the service is killed; 50 when not given
  --seed N     what chance is made of; printed, so that a run can be repeated
  --write      puts what came of it into docs/reliability.md, beside what is there of others`;
const given = parseArgumentsOrExit(
  {
    only: { type: "string", multiple: true, default: [] },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    write: { type: "boolean", default: false },
  },
  USAGE,
);

type Outcome = { fault: Fault; findings: Findings | undefined; error: string | undefined; ms: number };

// Ensures that the processes of a stage end with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const faults = chosen();
  if (!faults) return 2;
  await buildIfOutdated((line) => console.log(line));
  console.log(`Seed ${given.seed}, ${given.kills} kills.`);
  const outcomes: Outcome[] = [];
  for (const fault of faults) outcomes.push(await tried(fault));
  console.log("");
  if (given.write) writeFigures(new Map(outcomes.map((one) => [one.fault.name, sectionOf(one)])));
  const failed = outcomes.filter(isFailed).length;
  const skipped = outcomes.filter(({ findings }) => findings?.skipped).length;
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${outcomes.length - failed - skipped} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Returns the faults that were named; prints a message and returns undefined for an unknown name. */
function chosen(): Fault[] | undefined {
  const names = FAULTS.map(({ name }) => name);
  const unknown = given.only.filter((name) => !names.includes(name));
  const whole = [given.kills, given.seed].every((text) => /^\d{1,9}$/.test(text));
  if (whole && unknown.length === 0)
    return FAULTS.filter(({ name }) => given.only.length === 0 || given.only.includes(name));
  console.error(
    whole
      ? `There is no fault ${unknown.join(", ")}. Faults: ${names.join(", ")}.`
      : "--kills and --seed take whole numbers.",
  );
  return undefined;
}

async function tried(fault: Fault): Promise<Outcome> {
  console.log(`\n── ${fault.title} (${fault.name})`);
  const began = performance.now();
  const options = { kills: Number(given.kills), seed: Number(given.seed), say: console.log };
  const { findings, error } = await fault.run(options).then(
    (found) => ({ findings: found, error: undefined }),
    (thrown: Error) => ({ findings: undefined, error: thrown.stack ?? thrown.message }),
  );
  const outcome = { fault, findings, error, ms: performance.now() - began };
  if (error) console.log(`  broke off: ${error}`);
  console.log(
    `  ${findings?.skipped ?? (isFailed(outcome) ? "failed" : "passed")} (${formatMilliseconds(outcome.ms)})`,
  );
  return outcome;
}

function isFailed({ findings, error }: Outcome): boolean {
  return Boolean(error) || (findings?.failures.length ?? 0) > 0;
}

/** Formats the result of one fault for docs/reliability.md. */
function sectionOf({ fault, findings, error, ms }: Outcome): string {
  const failed = error ? "**broke off**" : `**failed**: ${findings?.failures.join("; ")}`;
  const mark = findings?.skipped ?? (error || findings?.failures.length ? failed : "passed");
  const run = `Seed ${given.seed}${fault.kills ? `, ${given.kills} kills` : ""}, ${new Date().toISOString().slice(0, 10)}, ${formatMilliseconds(ms)}.`;
  const rows = (findings?.figures ?? []).map(({ what, value }) => `| ${what} | ${value} |`);
  const table = rows.length > 0 ? ["", `| ${fault.title} | |`, "| --- | --- |", ...rows] : [];
  return [`### ${fault.title}`, "", `\`${fault.name}\`: ${mark}. ${run}`, ...table].join("\n");
}

/** Replaces the sections of the document that belong to faults of this run; the others stay. */
function writeFigures(sections: ReadonlyMap<string, string>): void {
  const text = fs.readFileSync(DOCUMENT, "utf8");
  const marked = /(<!-- figures -->\n)([\s\S]*?)(<!-- end of figures -->)/;
  const parts = (marked.exec(text)?.[2] ?? "").split(/^<!-- ([\w-]+) -->$/m).slice(1);
  const known = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) known.set(parts[at] ?? "", parts[at + 1]?.trim() ?? "");
  for (const [name, section] of sections) known.set(name, section);
  const all = FAULTS.flatMap(({ name }) =>
    known.has(name) ? [`<!-- ${name} -->\n\n${known.get(name)}\n\n`] : [],
  );
  fs.writeFileSync(
    DOCUMENT,
    text.replace(marked, (_, begin: string, __, end: string) => `${begin}\n${all.join("")}${end}`),
  );
}
