import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { EnvSchema } from "#lib/env.ts";
import { findBrowser } from "./browser.ts";
import { knownHoles } from "./vulnerabilities.ts";
import { ROOT } from "#lib/build/prepare.ts";

/**
 * `npm test`: every check there is, and one line at the end: `N passed, N failed`. A step that breaks off counts as a
 * failure, and what comes after it still runs. `npm test -- api unit` runs only those. A test gets a second try, since
 * a busy machine can be late; whatever needed it is told at the end.
 */

/** What a step counted, and what is worth a line at the very end: what failed, and what passed only when tried again. */
type Tally = { passed: number; failed: number; remarks?: string[] };
/** `names`: how its parts are asked for; `run` gets those that were. */
type Step = { names: string[]; title: string; run: (names: string[]) => Promise<Tally> };

const reports = fs.mkdtempSync(path.join(os.tmpdir(), "heed-reports-"));

const step = (name: string, title: string, run: Step["run"]): Step => ({ names: [name], title, run });

/** Stages run one after the other, the steps of each at the same time. The first holds what needs no build. */
const STAGES: Step[][] = [
  [
    step("build", "Production build", () => check("node", "lib/build/prepare.ts")),
    step("format", "Format", () => check("prettier", "--check", "--log-level=warn", ".")),
    step("lint", "Lint, with the direction of imports", () => check("oxlint")),
    step("licenses", "Licences of packages", () => check("node", "lib/scripts/licenses.ts")),
    step("holes", "Known holes of packages", holes),
  ],
  [
    step("types", "Types", () => check("tsc", "--noEmit", "--project", ".")),
    step("migrations", "Migrations fit the schema", () =>
      check("node", "lib/scripts/new-migration.ts", "--check"),
    ),
    { names: ["unit", "domain", "api"], title: "Unit, domain and API tests", run: vitest },
  ],
  [step("ui", "Journeys in the browser", journeys)],
];

const NAMES = STAGES.flat().flatMap(({ names }) => names);

async function testAll(wanted: string[]): Promise<number> {
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(", ")}. Steps: ${NAMES.join(", ")}.`);
    return 2;
  }
  const total = { passed: 0, failed: 0 };
  const remarks: string[] = [];
  for (const stage of STAGES) {
    const chosen = stage
      .map((one) => ({
        ...one,
        names: one.names.filter((name) => wanted.length === 0 || wanted.includes(name)),
      }))
      .filter(({ names }) => names.length > 0);
    const tallies = await Promise.all(chosen.map(timed));
    for (const [index, tally] of tallies.entries()) {
      total.passed += tally.passed;
      total.failed += tally.failed;
      remarks.push(...(tally.remarks ?? (tally.failed > 0 ? [`failed: ${chosen[index]?.title}`] : [])));
    }
  }
  fs.rmSync(reports, { recursive: true, force: true });
  if (remarks.length > 0) console.log(`\n${remarks.join("\n")}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function timed({ names, title, run }: Step): Promise<Tally> {
  const started = Date.now();
  const tally = await run(names).catch((error: Error) => {
    console.log(error.message);
    return FAILED;
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`── ${title}: ${tally.passed} passed, ${tally.failed} failed (${seconds} s)`);
  return tally;
}

const PASSED: Tally = { passed: 1, failed: 0 };
const FAILED: Tally = { passed: 0, failed: 1 };

/** A tool that passes or fails as a whole; its output is shown when it fails. */
async function check(tool: string, ...args: string[]): Promise<Tally> {
  const { code, output } = await runTool([tool, ...args], "quiet");
  if (code !== 0) console.log(output.trim());
  return code === 0 ? PASSED : FAILED;
}

/** A registry that can't be asked has found nothing, and cleared nothing: it counts neither way. */
async function holes(): Promise<Tally> {
  const found = await knownHoles();
  if (!found.asked) console.log(`Nobody could be asked for known holes: ${found.why}`);
  if (!found.asked) return { passed: 0, failed: 0 };
  for (const one of found.serious) console.log(one);
  return found.serious.length === 0 ? PASSED : FAILED;
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
};

async function vitest(projects: string[]): Promise<Tally> {
  const file = path.join(reports, "vitest.json");
  const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const chosen = projects.flatMap((project) => ["--project", project]);
  const { code } = await runTool(["vitest", "run", ...chosen, ...output], "shown");
  const report = readReport<VitestReport>(file);
  if (!report) return FAILED;
  // A file that can't even be loaded has no tests to fail.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const remarks = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ failureMessages }) => failureMessages && failureMessages.length > 0)
      .map((test) => remark(test.status === "passed", name, test.fullName, test.failureMessages?.[0])),
  );
  remarks.push(...unloaded.map(({ name, message }) => remark(false, name, "the whole file", message)));
  return {
    ...settled(code, { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length }),
    remarks,
  };
}

/** One line about a test that failed, at last or only at first, with the first line of why. */
function remark(passed: boolean, file: string, test: string, why = ""): string {
  const reason = why.split("\n").find((line) => line.trim()) ?? "no reason given";
  return `${passed ? "passed at the second try" : "failed"}: ${path.relative(ROOT, file)} › ${test}: ${reason.trim()}`;
}

type PlaywrightSuite = {
  file: string;
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
};
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: PlaywrightSuite[];
};

function remarksOf({ file, suites = [], specs = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status === "flaky" || status === "unexpected")
      .map(({ status, results }) =>
        remark(status === "flaky", path.join(ROOT, "e2e/ui", file), title, results[0]?.error?.message),
      ),
  );
  return [...own, ...suites.flatMap(remarksOf)];
}

async function journeys(): Promise<Tally> {
  const folder = path.join(ROOT, "e2e/ui");
  const specs = fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => String(name).endsWith(".spec.ts"));
  if (specs.length === 0) return { passed: 0, failed: 0 };
  const browser = await findBrowser((line) => console.log(line));
  const file = path.join(reports, "ui.json");
  const { code } = await runTool(
    ["playwright", "test", "--config", "e2e/ui/playwright.config.ts", "--reporter=list,json"],
    "shown",
    { HEED_TEST_BROWSER: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  );
  const report = readReport<PlaywrightReport>(file);
  if (!report) return FAILED;
  const { expected, flaky, unexpected } = report.stats;
  return {
    ...settled(code, { passed: expected + flaky, failed: unexpected }),
    remarks: report.suites.flatMap(remarksOf),
  };
}

/** A runner that ends badly has failed, also when each test that it told of passed; so has one that ran nothing. */
function settled(code: number | null, { passed, failed }: Tally): Tally {
  const bad = code !== 0 || passed + failed === 0;
  return { passed, failed: bad && failed === 0 ? 1 : failed };
}

function readReport<Report>(file: string): Report | undefined {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Report) : undefined;
}

type Outcome = { code: number | null; output: string };

/** Runs a tool of node_modules/.bin from the root, without what the caller's environment says about a service. */
function runTool(
  [tool = "", ...args]: string[],
  mode: "quiet" | "shown",
  extra: Record<string, string> = {},
): Promise<Outcome> {
  const bin = path.join(ROOT, "node_modules/.bin");
  const child = spawn(path.join(bin, tool), args, {
    cwd: ROOT,
    env: environment({ PATH: `${bin}${path.delimiter}${process.env.PATH}`, ...extra }),
    stdio: ["ignore", mode === "shown" ? "inherit" : "pipe", mode === "shown" ? "inherit" : "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

function environment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const settings = new Set([...Object.keys(EnvSchema.shape), "NODE_ENV"]);
  const kept = Object.entries(process.env).filter(([name]) => !settings.has(name));
  return { ...Object.fromEntries(kept), ...extra } as NodeJS.ProcessEnv;
}

if (process.argv.includes("--help"))
  console.log(`npm test [-- STEP...]\nRuns every step, or those that are named: ${NAMES.join(", ")}.`);
else process.exitCode = await testAll(process.argv.slice(2));
