import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { EnvSchema } from "../env.ts";
import { findBrowser } from "./browser.ts";
import { ROOT } from "./prepare.ts";

/**
 * `npm test`: every check there is, one after the other, and one line at the end: `N passed, N failed`. A step that
 * breaks off counts as a failure, and what comes after it still runs. `npm test -- api unit` runs only those.
 */

type Tally = { passed: number; failed: number };
type Step = { name: string; title: string; run: () => Promise<Tally> };

const reports = fs.mkdtempSync(path.join(os.tmpdir(), "heed-reports-"));

const STEPS: Step[] = [
  { name: "format", title: "Format", run: () => check("prettier", "--check", "--log-level=warn", ".") },
  { name: "lint", title: "Lint, with the direction of imports", run: () => check("oxlint") },
  { name: "build", title: "Production build", run: () => check("node", "lib/run/prepare.ts") },
  { name: "types", title: "Types", run: () => check("tsc", "--noEmit", "--project", ".") },
  {
    name: "migrations",
    title: "Migrations fit the schema",
    run: () => check("node", "lib/run/new-migration.ts", "--check"),
  },
  { name: "unit", title: "Unit tests", run: () => vitest("unit") },
  { name: "domain", title: "Domain tests on PostgreSQL", run: () => vitest("domain") },
  { name: "api", title: "API tests over HTTP", run: () => vitest("api") },
  { name: "ui", title: "Journeys in the browser", run: journeys },
];

async function testAll(wanted: string[]): Promise<number> {
  const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(
      `There is no step ${unknown.join(", ")}. Steps: ${STEPS.map(({ name }) => name).join(", ")}.`,
    );
    return 2;
  }
  const total = { passed: 0, failed: 0 };
  for (const step of STEPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { passed, failed } = await timed(step);
    total.passed += passed;
    total.failed += failed;
  }
  fs.rmSync(reports, { recursive: true, force: true });
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function timed({ title, run }: Step): Promise<Tally> {
  console.log(`\n── ${title}`);
  const started = Date.now();
  const tally = await run().catch((error: Error) => {
    console.log(error.message);
    return FAILED;
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`   ${title}: ${tally.passed} passed, ${tally.failed} failed (${seconds} s)`);
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

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

async function vitest(project: string): Promise<Tally> {
  const file = path.join(reports, `${project}.json`);
  const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code } = await runTool(["vitest", "run", "--project", project, ...output], "shown");
  const report = readReport<VitestReport>(file);
  if (!report) return FAILED;
  // A file that can't even be loaded has no tests to fail.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return settled(code, { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length });
}

type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number } };

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
  const stats = readReport<PlaywrightReport>(file)?.stats;
  if (!stats) return FAILED;
  return settled(code, { passed: stats.expected + stats.flaky, failed: stats.unexpected });
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

process.exitCode = await testAll(process.argv.slice(2));
