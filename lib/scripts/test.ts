import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { EnvironmentVariablesSchema } from "#lib/env.ts";
import { COMPILE_CACHE_ENV_VARIABLES } from "#lib/server/memory-limit.ts";
import { findOrInstallBrowser } from "./browser.ts";
import { checkDependencyVulnerabilities, summarizeAudit } from "./vulnerabilities.ts";
import { listSqlThatNoTestRan } from "./ran-statements.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * `npm test`: runs every check and ends with one line, `N passed, N failed`. A step that crashes counts as a failure,
 * and the following steps still run. `npm test -- api unit` runs only those. A test over HTTP or in the browser that fails
 * is tried once more; the end of the output names one that passes then.
 */

const USAGE = `npm test [-- STEP...] [--shard I/N] [--changed]
Runs every step, or those that are named.
  --shard I/N  the Ith of N parts of the tests, for as many machines; the first also runs the checks without tests
  --changed    what can be told in two minutes about the changes since the branch main: format, lint, types, the
               unit and domain tests that the changes can reach, and those that read all sources
With DIRECT_API=off in the environment, the tested services run without the direct API path.`;

const options = readOptions();

/** The counts of a step, and remarks for the end of the output: tests that failed, and what couldn't be checked. */
type StepResult = { passed: number; failed: number; remarks?: string[] };
/** `names` are the arguments that select its parts; `run` receives those that were given. */
type Step = { names: string[]; title: string; run: (names: string[]) => Promise<StepResult> };

/** How long each step took, for the end of the output. */
const timings: string[] = [];

const reportsFolder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-reports-"));
/** Where the processes of the tests write the statements that they send (e2e/support/record-statements.ts). */
const statementsFolder = path.join(reportsFolder, "statements");
fs.mkdirSync(statementsFolder);

const createStep = (name: string, title: string, run: Step["run"]): Step => ({ names: [name], title, run });

/** The steps that run tests, which `--shard` can split. */
const SHARDED_STEPS = ["unit", "domain", "api", "ui"];
const CHANGED_STEPS = ["generate", "format", "lint", "types", "unit", "domain"];
/**
 * The folders of the tests of the code's own rules. These tests read source files without importing them, so their
 * imports don't show which changes they check.
 */
const SOURCE_TESTS = ["lib/scripts/", "app/"];

/**
 * Stages run one after the other, the steps of each in parallel. The first holds what needs no generated code, the second
 * what needs no build, which alone leaves a core idle for half of its time.
 */
const STAGES: Step[][] = [
  [
    createStep("generate", "Generated code", () =>
      runCheck("node", "lib/build/prepare.ts", "--without-pages"),
    ),
    createStep("format", "Format", () => runCheck("oxfmt", "--check")),
    createStep("lint", "Lint", () => runCheck("oxlint")),
    createStep("lint", "Unused files, exports and packages", () => runCheck("knip")),
    createStep("licenses", "Licenses of packages", () => runCheck("node", "lib/scripts/licenses.ts")),
    createStep("vulnerabilities", "Known vulnerabilities of packages", runVulnerabilityAudit),
  ],
  [
    createStep("build", "Production build", () => runCheck("node", "lib/build/prepare.ts")),
    createStep("migrations", "Migrations fit the schema", () =>
      runCheck("node", "lib/scripts/new-migration.ts", "--check"),
    ),
    { names: ["unit", "domain"], title: "Unit and domain tests", run: runVitest },
  ],
  [
    // The build generates the types of routes.
    createStep("types", "Types", () => runCheck("tsc", "--noEmit", "--project", ".")),
    createStep("api", "API tests", runVitest),
  ],
  // Not beside the other tests: on a slow machine, services and databases of both would wait for the processor so long
  // that requests time out.
  [createStep("ui", "Journeys in the browser", runJourneys)],
  [createStep("statements", "Raw SQL that tests have run", findUntestedSql)],
];

const STEP_NAMES = [...new Set(STAGES.flat().flatMap(({ names }) => names))];

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: { shard: { type: "string" }, changed: { type: "boolean" }, help: { type: "boolean" } },
      allowPositionals: true,
    });
    if (values.shard && !/^[1-9]\d*\/[1-9]\d*$/.test(values.shard))
      throw new Error(`--shard is like 1/3, not ${values.shard}.`);
    return { ...values, names: positionals };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

const readsGeneratedCode = (name: string): boolean =>
  !["format", "lint", "licenses", "vulnerabilities"].includes(name);

/** Returns whether a step is part of the run: it was named, or no step was named and no option excludes it. */
function isChosen(name: string): boolean {
  if (options.names.length > 0)
    return options.names.includes(name) || (name === "generate" && options.names.some(readsGeneratedCode));
  if (options.changed) return CHANGED_STEPS.includes(name);
  // Part of the tests runs part of the statements.
  if (name === "statements") return !options.shard;
  // Tests over HTTP need the build in each part.
  const [part = "1"] = options.shard?.split("/") ?? [];
  return part === "1" || ["generate", "build"].includes(name) || SHARDED_STEPS.includes(name);
}

/** The commit at which this branch left main, for `--changed`. */
const findBranchStart = (): string =>
  execFileSync("git", ["merge-base", "HEAD", "main"], { cwd: PROJECT_ROOT, encoding: "utf8" }).trim();

async function runSteps(): Promise<number> {
  const unknown = options.names.filter((name) => !STEP_NAMES.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(", ")}. Steps: ${STEP_NAMES.join(", ")}.`);
    return 2;
  }
  const total = { passed: 0, failed: 0 };
  const remarks: string[] = [];
  for (const stage of STAGES) {
    const chosen = stage
      .map((one) => ({ ...one, names: one.names.filter(isChosen) }))
      .filter(({ names }) => names.length > 0);
    const stepResults = await Promise.all(chosen.map(runTimed));
    for (const [index, stepResult] of stepResults.entries()) {
      total.passed += stepResult.passed;
      total.failed += stepResult.failed;
      remarks.push(
        ...(stepResult.remarks ?? (stepResult.failed > 0 ? [`failed: ${chosen[index]?.title}`] : [])),
      );
    }
  }
  fs.rmSync(reportsFolder, { recursive: true, force: true });
  if (remarks.length > 0) console.log(`\n${remarks.join("\n")}`);
  console.log(`\n${timings.join("\n")}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function runTimed({ names, title, run }: Step): Promise<StepResult> {
  const started = Date.now();
  const stepResult = await run(names).catch((error: Error) => {
    console.log(error.message);
    return FAILED;
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`── ${title}: ${stepResult.passed} passed, ${stepResult.failed} failed (${seconds} s)`);
  timings.push(`${seconds.padStart(7)} s  ${title}`);
  return stepResult;
}

const PASSED: StepResult = { passed: 1, failed: 0 };
const FAILED: StepResult = { passed: 0, failed: 1 };

/** Runs a tool that passes or fails as a whole; its output is shown when it fails. */
async function runCheck(tool: string, ...args: string[]): Promise<StepResult> {
  const { code, output } = await runTool([tool, ...args], "quiet");
  if (code !== 0) console.log(output.trim());
  return code === 0 ? PASSED : FAILED;
}

async function runVulnerabilityAudit(): Promise<StepResult> {
  return summarizeAudit(await checkDependencyVulnerabilities());
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

/** The projects of vitest.config.ts that belong to each step. */
const VITEST_PROJECTS: Record<string, string[]> = {
  unit: ["unit", "unit-apart", "unit-on-vite"],
  domain: ["domain", "domain-apart", "domain-on-vite"],
  api: ["api", "api-own-service"],
};

async function runVitest(steps: string[]): Promise<StepResult> {
  const projects = steps.flatMap((step) => VITEST_PROJECTS[step] ?? []);
  const chosen = projects.flatMap((project) => ["--project", project]);
  if (!options.changed)
    return runVitestOnce([...chosen, ...(options.shard ? [`--shard=${options.shard}`] : [])]);
  const reached = await runVitestOnce([...chosen, `--changed=${findBranchStart()}`, "--passWithNoTests"]);
  const reading = await runVitestOnce([...chosen, ...SOURCE_TESTS]);
  return {
    passed: reached.passed + reading.passed,
    failed: reached.failed + reading.failed,
    remarks: [...(reached.remarks ?? []), ...(reading.remarks ?? [])],
  };
}

async function runVitestOnce(args: string[]): Promise<StepResult> {
  const file = path.join(reportsFolder, "vitest.json");
  fs.rmSync(file, { force: true });
  const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code } = await runTool(["vitest", "run", ...args, ...output], "shown");
  const report = readReport<VitestReport>(file);
  // A change that no test can reach leaves no test to run.
  if (!report) return options.changed && code === 0 ? { passed: 0, failed: 0 } : FAILED;
  // A file that can't be loaded reports no failed tests, so it is counted here.
  const unloadedFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const remarks = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ failureMessages }) => failureMessages && failureMessages.length > 0)
      .map(({ fullName, status, failureMessages }) =>
        formatFailure({
          file: name,
          test: fullName,
          why: failureMessages?.[0],
          passedThen: status === "passed",
        }),
      ),
  );
  remarks.push(
    ...unloadedFiles.map(({ name, message }) =>
      formatFailure({ file: name, test: "the whole file", why: message }),
    ),
  );
  return {
    ...toStepResult(code, {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloadedFiles.length,
    }),
    remarks,
  };
}

type Failure = { file: string; test: string; why?: string | undefined; passedThen?: boolean };

/** Returns one line about a test that failed, or that passed at the second try, with the first line of the reason. */
function formatFailure({ file, test, why = "", passedThen = false }: Failure): string {
  const reason = why.split("\n").find((line) => line.trim()) ?? "no reason given";
  const result = passedThen ? "passed at the second try" : "failed";
  return `${result}: ${path.relative(PROJECT_ROOT, file)} › ${test}: ${reason.trim()}`;
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

function collectRemarks({ file, suites = [], specs = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ status, results }) =>
        formatFailure({
          file: path.join(PROJECT_ROOT, "e2e/ui", file),
          test: title,
          why: results[0]?.error?.message,
          passedThen: status === "flaky",
        }),
      ),
  );
  return [...own, ...suites.flatMap(collectRemarks)];
}

async function runJourneys(): Promise<StepResult> {
  const folder = path.join(PROJECT_ROOT, "e2e/ui");
  const specs = fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => String(name).endsWith(".spec.ts"));
  if (specs.length === 0) return { passed: 0, failed: 0 };
  const browser = await findOrInstallBrowser((line) => console.log(line));
  const file = path.join(reportsFolder, "ui.json");
  const { code } = await runTool(
    [
      "playwright",
      "test",
      "--config=e2e/ui/playwright.config.ts",
      "--reporter=list,json",
      ...(options.shard ? [`--shard=${options.shard}`] : []),
    ],
    "shown",
    { HEED_TEST_BROWSER: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  );
  const report = readReport<PlaywrightReport>(file);
  if (!report) return FAILED;
  const { expected, unexpected, flaky } = report.stats;
  return {
    ...toStepResult(code, { passed: expected + flaky, failed: unexpected }),
    remarks: report.suites.flatMap(collectRemarks),
  };
}

async function findUntestedSql(): Promise<StepResult> {
  const untested = listSqlThatNoTestRan(statementsFolder);
  for (const place of untested) console.log(`${place}: no test runs this SQL`);
  return untested.length === 0 ? PASSED : FAILED;
}

/** A runner that exits with an error has failed, even if each test it reported passed; so has one that ran nothing. */
function toStepResult(code: number | null, { passed, failed }: StepResult): StepResult {
  const isFailed = code !== 0 || (passed + failed === 0 && !options.changed);
  return { passed, failed: isFailed && failed === 0 ? 1 : failed };
}

function readReport<Report>(file: string): Report | undefined {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Report) : undefined;
}

type Outcome = { code: number | null; output: string };

/**
 * Runs a tool of node_modules/.bin from the root, without the service's variables in the caller's environment, except for
 * `DIRECT_API`: the tests pass it on to the services that they start.
 */
function runTool(
  [tool = "", ...args]: string[],
  mode: "quiet" | "shown",
  extra: Record<string, string> = {},
): Promise<Outcome> {
  const bin = path.join(PROJECT_ROOT, "node_modules/.bin");
  const child = spawn(path.join(bin, tool), args, {
    cwd: PROJECT_ROOT,
    env: createEnvironment({
      PATH: `${bin}${path.delimiter}${process.env.PATH}`,
      ...COMPILE_CACHE_ENV_VARIABLES,
      TEST_STATEMENTS_FOLDER: statementsFolder,
      ...extra,
    }),
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

function createEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const settings = new Set([...Object.keys(EnvironmentVariablesSchema.shape), "NODE_ENV"]);
  settings.delete("DIRECT_API");
  const inheritedVariables = Object.entries(process.env).filter(([name]) => !settings.has(name));
  return { ...Object.fromEntries(inheritedVariables), ...extra } as NodeJS.ProcessEnv;
}

if (options.help) console.log(`${USAGE}\nSteps: ${STEP_NAMES.join(", ")}.`);
else process.exitCode = await runSteps();
