import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * `npm run mutation`: changes the files of stryker.config.mjs in small ways, and fails when there is a file of which
 * unit tests notice less than 90 % of the changes. Stryker's own threshold is for all files together, where a large
 * file that is well tested would hide a small one that isn't. Passes its arguments to Stryker, such as
 * `--mutate lib/incidents/redaction.ts`.
 */

const USAGE = `npm run mutation [-- OPTIONS]
Changes the policy, the lifecycle, the visibility and the redaction of incidents in small ways, and fails for each file
in which unit tests notice fewer than 90 of 100 changes.
  OPTIONS  of Stryker, such as --mutate lib/incidents/redaction.ts
  --help   Print this, and end.`;

const MIN_SCORE = 90;
/** The report that stryker.config.mjs asks for, in the format of mutation-testing-elements. */
const REPORT_FILE = path.join(PROJECT_ROOT, "test-results/mutation.json");

type MutationTestReport = { files: Record<string, { mutants: { status: string }[] }> };

/** Lists the files of which the tests noticed less than 90 % of the changes, each with its score. */
export function listFilesBelowMutationScore(report: MutationTestReport): string[] {
  return Object.entries(report.files)
    .map(([file, { mutants }]) => ({ file, score: computeScore(mutants.map(({ status }) => status)) }))
    .filter(({ score }) => score < MIN_SCORE)
    .map(({ file, score }) => `${file}: ${score.toFixed(1)} % of the changes noticed, not ${MIN_SCORE} %`);
}

const countOf = (statuses: string[], counted: string[]): number =>
  statuses.filter((status) => counted.includes(status)).length;

/** Changes that don't compile, and those that a comment excludes, are neither noticed nor missed. */
function computeScore(statuses: string[]): number {
  const noticed = countOf(statuses, ["Killed", "Timeout"]);
  const missed = countOf(statuses, ["Survived", "NoCoverage"]);
  return (100 * noticed) / (noticed + missed);
}

function main(): void {
  fs.rmSync(REPORT_FILE, { force: true });
  const stryker = path.join(PROJECT_ROOT, "node_modules/.bin/stryker");
  const { status } = spawnSync(stryker, ["run", ...process.argv.slice(2)], {
    cwd: PROJECT_ROOT,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  const weak = listFilesBelowMutationScore(
    JSON.parse(fs.readFileSync(REPORT_FILE, "utf8")) as MutationTestReport,
  );
  for (const line of weak) console.error(line);
  if (weak.length > 0) process.exit(1);
}

if (import.meta.main) {
  if (process.argv.includes("--help")) console.log(USAGE);
  else main();
}
