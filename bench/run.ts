import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "autocannon";
import pg from "pg";
import { cloneDatabase, openTestServer } from "#e2e/support/database.ts";
import { startProcess, type RunningProcess, type EnvironmentSettings } from "#e2e/support/process.ts";
import { parseArgumentsOrExit } from "#lib/command-line/arguments.ts";
import { buildIfOutdated } from "#lib/build/prepare.ts";
import { createOrReadSecret } from "#lib/crypto/secrets.ts";
import { compareWithCheckout } from "./against.ts";
import { requireSuccess, signIn } from "./client.ts";
import { runLoad } from "./load.ts";
import {
  measureLargeUpload,
  measureFullExport,
  measureLoginQueue,
  measureConcurrentLogins,
  measureManyStreams,
  warmUpService,
} from "./pressure.ts";
import { startBaselineServer, type BaselineServer } from "./process.ts";
import { openProfiler, PROFILER_ENVIRONMENT, type Profiler } from "./profile.ts";
import { explainStatements, type QueryPlan } from "./plans.ts";
import {
  formatReport,
  type ScenarioResult,
  type Measurement,
  type BenchmarkResult,
  type StatementCounts,
} from "./report.ts";
import { SCENARIOS, type BenchContext, type Scenario } from "./rows.ts";
import { measureSteadyLoad } from "./memory.ts";
import { measureInteractions } from "./interactions.ts";
import { measurePageLoads } from "./page-loads.ts";
import { measureScripts } from "./scripts.ts";
import { ADMIN_EMAIL, buildReporterEmail, seed, SIZES, TEAM_EMAIL, type Size, type World } from "./seed.ts";
import { isTransactional, openRelay } from "./statements.ts";

/**
 * `npm run bench`: measures how fast the production build responds with 10,000 and with 100,000 incidents, compared
 * with two baselines that are measured within the same minute. docs/performance.md explains the numbers. A missed
 * goal isn't a failure.
 */

const USAGE = `npm run bench [-- OPTIONS]
Measures how fast the production build responds, at 10,000 and at 100,000 incidents.
  --large           at 10,000 and at 1,000,000 incidents, the latter with 5,000 events and 200,000 people, and with
                    the plan of every statement; takes about ten minutes longer
  --quick           a short run, for a look
  --only NAME       that row alone, and nothing else; may be given several times
  --json FILE       the numbers as JSON, too
  --profile FOLDER  a processor profile of each measurement
  --against FOLDER  this checkout and the one in FOLDER in turn, twice each, as ratios; with --quick and --only as above`;
const options = parseArgumentsOrExit(
  {
    quick: { type: "boolean", default: false },
    large: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    profile: { type: "string" },
    against: { type: "string" },
  },
  USAGE,
);

const DURATION_SECONDS = options.quick
  ? { warm: 0.5, row: 2, baseline: 1 }
  : { warm: 1.5, row: 8, baseline: 1.5 };
/**
 * Memory is measured at the smaller size only, since another data set would fill the database's memory. So are pages,
 * which hold as much at each size.
 */
const LARGER_SIZES =
  options.only.every((name) => ["memory", "page-loads"].includes(name)) && options.only.length > 0
    ? []
    : [options.large ? 1_000_000 : 100_000];
const CHOSEN_SIZES = SIZES.filter(({ incidents }) => [10_000, ...LARGER_SIZES].includes(incidents));
const CONNECTIONS = 8;
/** For `--only`: script sizes, browser work in the list, first visits, many live streams, and the full CSV export; no scenarios. */
const SCRIPTS = "scripts";
const PAGE_LOADS = "page-loads";
const STREAMS = "streams";
const INTERACTIONS = "interactions";
const EXPORT = "export";
/** Also for `--only`: many sign-ins from one address, and one from another. */
const LOGIN_QUEUE = "login-queue";
const MEMORY = "memory";
const LOGIN_QUEUE_SETTINGS: EnvironmentSettings = { TRUSTED_PROXIES: "127.0.0.1, ::1" };

type BenchTarget = {
  incidents: number;
  databaseUrl: string;
  service: RunningProcess;
  baseline: BaselineServer;
  profiler: Profiler | undefined;
  known: BenchContext;
};

let serviceCount = 0;
const scratchFolder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-bench-"));
const closers: (() => unknown)[] = [() => fs.rmSync(scratchFolder, { recursive: true, force: true })];

try {
  const rows = chooseScenarios();
  if (options.against === undefined) await printBenchmark(rows);
  else console.log(await compareWithCheckout(options.against, listPassedOptions()));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const close of closers.reverse()) await close();
}

async function printBenchmark(rows: Scenario[]): Promise<void> {
  const result = await runBenchmark(rows);
  console.log(`\n${formatReport(result)}`);
  if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

/** The options that each benchmark of a comparison gets. */
function listPassedOptions(): string[] {
  const flags = (["quick", "large"] as const).filter((name) => options[name]).map((name) => `--${name}`);
  return [...flags, ...options.only.flatMap((name) => ["--only", name])];
}

/** @throws Error when `--only` names no scenario */
function chooseScenarios(): Scenario[] {
  const names = [
    ...SCENARIOS.map(({ name }) => name),
    SCRIPTS,
    INTERACTIONS,
    PAGE_LOADS,
    STREAMS,
    EXPORT,
    LOGIN_QUEUE,
    MEMORY,
  ];
  const unknown = options.only.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(", ")}. Rows: ${names.join(", ")}.`);
  return SCENARIOS.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
}

async function runBenchmark(rows: Scenario[]): Promise<BenchmarkResult> {
  await buildIfOutdated(printProgress);
  const server = await openTestServer();
  closers.push(server.close);
  const targets: BenchTarget[] = [];
  for (const size of CHOSEN_SIZES) targets.push(await openTarget(server.url, size));
  const result: BenchmarkResult = {
    node: process.versions.node,
    cores: os.availableParallelism(),
    quick: options.quick,
    found: [],
    exports: [],
  };
  const counted = await countStatements(targets[0] as BenchTarget, rows);
  if (options.large) result.plans = await explainScenarios(targets.at(-1) as BenchTarget, counted);
  for (const row of rows)
    result.found.push({ ...(await measureScenario(row, targets)), statements: counted.get(row.name) });
  if (options.only.length === 0 || options.only.includes(SCRIPTS)) await measurePages(targets, result);
  if (options.only.length === 0 || options.only.includes(INTERACTIONS)) await measureInbox(targets, result);
  if (options.only.length === 0 || options.only.includes(PAGE_LOADS))
    await measureFirstVisits(targets, result);
  if (options.only.includes(STREAMS))
    result.streams = await runInFreshProcess(targets.at(-1) as BenchTarget, measureManyStreams);
  if (options.only.includes(EXPORT)) await measureExports(targets, result);
  if (options.only.includes(LOGIN_QUEUE)) await recordLoginQueue(targets, result);
  if (options.only.includes(MEMORY)) await measureMemory(targets, result);
  if (options.only.length > 0) return result;
  await measurePressure(targets, result);
  return result;
}

async function openTarget(serverUrl: string, size: Size): Promise<BenchTarget> {
  const { incidents } = size;
  printProgress(`Seeding ${incidents} incidents.`);
  const began = performance.now();
  const { url: databaseUrl } = await cloneDatabase(serverUrl);
  const world = await seed(databaseUrl, size);
  printProgress(`Seeded in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  const service = await startService(databaseUrl, options.profile ? PROFILER_ENVIRONMENT : {});
  const baseline = await startBaselineServer(databaseUrl);
  closers.push(baseline.stop);
  const profiler = options.profile ? await openProfiler(service.output(), options.profile) : undefined;
  closers.push(() => profiler?.close());
  return { incidents, databaseUrl, service, baseline, profiler, known: await signInAll(service, world) };
}

async function startService(
  databaseUrl: string,
  settings: EnvironmentSettings = {},
): Promise<RunningProcess> {
  serviceCount += 1;
  const HEED_DATA_DIR = path.join(scratchFolder, `data-${serviceCount}`);
  copyDataKey(HEED_DATA_DIR);
  const service = await startProcess(
    { DATABASE_URL: databaseUrl, HEED_DATA_DIR, LOG_LEVEL: "error", PASSWORD_COST: "12", ...settings },
    { heap: "product" },
  );
  closers.push(() => service.stop());
  return service;
}

/** Services on one database must be able to open what the others have sealed. */
function copyDataKey(dataDir: string): void {
  const key = path.join("secrets", "data.key");
  if (!fs.existsSync(path.join(scratchFolder, key))) createOrReadSecret({ dataDir: scratchFolder }, "data");
  fs.mkdirSync(path.join(dataDir, "secrets"), { recursive: true, mode: 0o700 });
  fs.copyFileSync(path.join(scratchFolder, key), path.join(dataDir, key));
}

async function signInAll({ url }: RunningProcess, world: World): Promise<BenchContext> {
  const [team, reporter, orgAdmin] = [
    await signIn(url, TEAM_EMAIL),
    await signIn(url, buildReporterEmail(200)),
    await signIn(url, ADMIN_EMAIL),
  ];
  return { world, cookies: { team, reporter, orgAdmin } };
}

/**
 * Measures each size in turn, and then again in reverse order, so that changes in the machine's speed affect all
 * sizes equally.
 */
async function measureScenario(row: Scenario, targets: BenchTarget[]): Promise<ScenarioResult> {
  const { name, title, share, growth, beside, connections } = row;
  const lanes = [];
  for (const target of targets) {
    const requests = row.settings ? [] : await row.requests(target.known);
    lanes.push({ target, requests, parts: [] as Measurement[] });
  }
  for (const turn of [lanes, lanes.toReversed()])
    for (const { target, requests, parts } of turn)
      parts.push(await measureWithOwnService(row, target, requests));
  const measured = lanes.map(({ parts }) => mergeMeasurements(parts));
  return { row: { name, title, share, growth, beside, connections }, measured };
}

/** A scenario with its own settings gets a separate service while it is measured. */
async function measureWithOwnService(
  row: Scenario,
  target: BenchTarget,
  requests: Request[],
): Promise<Measurement> {
  if (!row.settings) return measure(row, target, requests);
  const service = await startService(target.databaseUrl, row.settings);
  const known = await signInAll(service, target.known.world);
  const own = { ...target, service, known, profiler: undefined };
  const result = await measure(row, own, await row.requests(known));
  await service.stop();
  return result;
}

/** Measures the baselines before and after, so that other activity on the machine affects both equally. */
async function measure(row: Scenario, target: BenchTarget, requests: Request[]): Promise<Measurement> {
  const { incidents, databaseUrl, service, baseline, profiler, known } = target;
  const { url, pid } = service;
  const connections = row.connections ?? CONNECTIONS;
  const before = await measureBaselines(service, baseline, known);
  await runLoad({ url, connections, requests, seconds: DURATION_SECONDS.warm });
  const shot = () => runLoad({ url, pid, connections, requests, seconds: DURATION_SECONDS.row / 2 });
  const seen = profiler
    ? await profiler.record(`${row.name}-${incidents}-${Date.now()}`, shot)
    : await shot();
  await waitUntilDatabaseIdle(databaseUrl);
  const after = await measureBaselines(service, baseline, known);
  printProgress(
    `${row.title}, ${incidents}: ${seen.perSecond.toFixed(0)} req/s (constant ${before.constant.toFixed(0)} and ${after.constant.toFixed(0)}, pg ${before.database.toFixed(0)} and ${after.database.toFixed(0)})`,
  );
  return {
    incidents,
    seen,
    constant: computeMean([before.constant, after.constant]),
    database: computeMean([before.database, after.database]),
    constantProcessor: computeMean([before.processor, after.processor]),
  };
}

/** Merges the parts of one measurement by their means, also for quantiles. */
function mergeMeasurements(parts: Measurement[]): Measurement {
  const last = parts.at(-1) as Measurement;
  const of = (take: (part: Measurement) => number) => computeMean(parts.map(take));
  const processor = of(({ seen }) => seen.processor ?? Number.NaN);
  return {
    incidents: last.incidents,
    seen: {
      perSecond: of(({ seen }) => seen.perSecond),
      p50: of(({ seen }) => seen.p50),
      p99: of(({ seen }) => seen.p99),
      requests: parts.reduce((sum, { seen }) => sum + seen.requests, 0),
      processor: Number.isNaN(processor) ? undefined : processor,
      memory: last.seen.memory,
      problems: parts.flatMap(({ seen }) => seen.problems),
    },
    constant: of(({ constant }) => constant),
    database: of(({ database }) => database),
    constantProcessor: of(({ constantProcessor }) => constantProcessor),
  };
}

/** Waits for requests that outlive their load, so that they don't affect the next measurement. */
async function waitUntilDatabaseIdle(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "heed-bench" });
  await client.connect();
  for (let busy = 1; busy > 0; await sleep(300)) {
    const { rows } = await client.query<{ busy: number }>(
      "select count(*)::int as busy from pg_stat_activity where application_name = 'heed' and state <> 'idle'",
    );
    busy = rows[0]?.busy ?? 0;
  }
  await client.end();
}

function computeMean(numbers: number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

type BaselineRates = { constant: number; database: number; processor: number };

async function measureBaselines(
  { url, pid }: RunningProcess,
  baseline: BaselineServer,
  { world }: BenchContext,
): Promise<BaselineRates> {
  const shots = { connections: CONNECTIONS, seconds: DURATION_SECONDS.baseline };
  const constant = await runLoad({ ...shots, url, pid, requests: [{ path: "/api/health/live" }] });
  const requests = world.events.map(({ id }) => ({ path: `/${id}` }));
  const database = await runLoad({ ...shots, url: baseline.url, requests });
  const problems = [...constant.problems, ...database.problems];
  if (problems.length > 0) throw new Error(`A baseline failed: ${problems.join(", ")}.`);
  const processor = constant.processor ?? Number.NaN;
  return { constant: constant.perSecond, database: database.perSecond, processor };
}

/** Uses a separate service behind a relay and one request at a time, since the relay itself takes time. */
async function countStatements(target: BenchTarget, rows: Scenario[]): Promise<Map<string, StatementCounts>> {
  const counts = new Map<string, StatementCounts>();
  const relay = await openRelay(target.databaseUrl);
  closers.push(relay.close);
  for (const settings of new Set(rows.map((row) => row.settings))) {
    const service = await startService(relay.url, settings);
    const known = await signInAll(service, target.known.world);
    for (const row of rows.filter((one) => one.settings === settings))
      counts.set(
        row.name,
        await countScenarioStatements(row, { service, known, statements: relay.statements }),
      );
    await service.stop();
  }
  return counts;
}

/** Runs before anything is written, while the planner's statistics match the tables. */
async function explainScenarios(
  { databaseUrl }: BenchTarget,
  counted: Map<string, StatementCounts>,
): Promise<Record<string, QueryPlan[]>> {
  const plans: Record<string, QueryPlan[]> = {};
  for (const [name, { texts }] of counted) plans[name] = await explainStatements(databaseUrl, texts);
  return plans;
}

type StatementCounter = { service: RunningProcess; known: BenchContext; statements: string[] };

async function countScenarioStatements(
  row: Scenario,
  { service, known, statements }: StatementCounter,
): Promise<StatementCounts> {
  const times = row.name === "login" ? 3 : 10;
  const requests = await row.requests(known);
  const send = async (index: number) => {
    const request = requests[index % requests.length];
    const ready = typeof request?.setupRequest === "function" ? request.setupRequest(request, {}) : request;
    const { method, headers, body } = ready ?? {};
    const init = { method, headers, body } as RequestInit;
    await (await requireSuccess(await fetch(`${service.url}${ready?.path}`, init))).arrayBuffer();
  };
  await send(0);
  const from = statements.length;
  for (let index = 1; index <= times; index += 1) await send(index);
  const made = statements.slice(from);
  const transaction = made.filter(isTransactional).length;
  const texts = [...new Set(made.filter((sql) => !isTransactional(sql)))];
  return { queries: (made.length - transaction) / times, transaction: transaction / times, texts };
}

/** The browser's work for a page of rows doesn't depend on how many more rows there are. */
async function measureInbox([target]: BenchTarget[], result: BenchmarkResult): Promise<void> {
  if (!target) return;
  printProgress("The list of reports in a browser.");
  result.interactions = await measureInteractions(target.service.url, target.known);
}

/** What is sent doesn't depend on the amount of data. */
async function measurePages([target]: BenchTarget[], result: BenchmarkResult): Promise<void> {
  if (!target) return;
  printProgress("Scripts of the report form and of an event's page.");
  result.scripts = await measureScripts(target.service.url, target.known);
}

/** A page holds as much at each size. */
async function measureFirstVisits([target]: BenchTarget[], result: BenchmarkResult): Promise<void> {
  if (!target) return;
  printProgress("First visits over a slow network.");
  result.pageLoads = await measurePageLoads(target.service.url, target.known);
}

/** Each in a fresh process at the largest size, so that memory left over from earlier load doesn't hide a peak. */
async function measurePressure(targets: BenchTarget[], result: BenchmarkResult): Promise<void> {
  const largest = targets.at(-1) as BenchTarget;
  printProgress("20 logins at once.");
  result.logins = await measureConcurrentLogins(largest.service, largest.known, DURATION_SECONDS.row);
  await recordLoginQueue(targets, result);
  await measureMemory(targets, result);
  printProgress("200 live streams.");
  result.streams = await runInFreshProcess(largest, measureManyStreams);
  printProgress("Upload of 50 MB.");
  result.upload = await runInFreshProcess(largest, measureLargeUpload);
  await measureExports(targets, result);
}

/** At the smaller size, in a service that has served nothing else. */
async function measureMemory([target]: BenchTarget[], result: BenchmarkResult): Promise<void> {
  if (!target) return;
  const minutes = options.quick ? 2 : 10;
  printProgress(`60 requests a second for ${minutes} minutes.`);
  const { databaseUrl } = target;
  const since = new Date();
  result.memory = await runInFreshProcess(target, (service, known) =>
    measureSteadyLoad(service, { known, databaseUrl, minutes, since }),
  );
}

/** The number of incidents makes no difference to a sign-in. */
async function recordLoginQueue([target]: BenchTarget[], result: BenchmarkResult): Promise<void> {
  if (!target) return;
  printProgress("150 logins from one address, and one from elsewhere.");
  result.loginQueue = await runInFreshProcess(target, measureLoginQueue, LOGIN_QUEUE_SETTINGS);
}

async function measureExports(targets: BenchTarget[], result: BenchmarkResult): Promise<void> {
  for (const target of targets) {
    printProgress(`CSV export at ${target.incidents} incidents.`);
    result.exports.push({
      incidents: target.incidents,
      ...(await runInFreshProcess(target, measureFullExport)),
    });
  }
}

async function runInFreshProcess<T>(
  target: BenchTarget,
  work: (service: RunningProcess, known: BenchContext) => Promise<T>,
  settings?: EnvironmentSettings,
): Promise<T> {
  const service = await startService(target.databaseUrl, settings);
  const known = await signInAll(service, target.known.world);
  await warmUpService(service, known);
  const result = await work(service, known);
  await service.stop();
  return result;
}

function printProgress(line: string): void {
  console.log(line);
}
