import "./heap-limit.ts";
import path from "node:path";
import { claimKeys, forgetMissingKeys } from "#lib/backup/key-marks.ts";
import { memoryKey, parseEnv } from "#lib/env.ts";
import type { Env } from "#lib/env.ts";
import { ensureSecrets } from "#lib/crypto/secrets.ts";
import { writeLogLine } from "#lib/observability/log-line.ts";
import { startTraces } from "#lib/observability/start.ts";
import { trustedProxies } from "./client-address.ts";
import { readArguments } from "#lib/command-line/arguments.ts";
import { openDatabase } from "./open-database.ts";
import { messageForFailure } from "#lib/command-line/failure-messages.ts";
import { readMark, tryLock } from "#lib/process-lock.ts";
import { migrateAndUse } from "#lib/database/migrate.ts";
import { listWidePermissions } from "./permissions.ts";
import { prepare, ROOT } from "#lib/build/prepare.ts";
import { processesOf, startProcesses } from "./cluster.ts";
import { releaseReserve, takeReserve } from "#lib/database/embedded/disk-reserve.ts";
import { startServer } from "./server.ts";
import { markServing } from "#lib/build/build-in-use.ts";
import { beginAnew, hasBegunAnew } from "./self-restart.ts";
import { endInOrder, runHooks, stopOnSignal } from "./shutdown.ts";
import type { StopHook } from "./shutdown.ts";
import { watchUnexpected } from "./uncaught-errors.ts";

/** `npm start`: from a fresh checkout to a service that answers, in one command. */

/** Plain lines for people until the service is ready once, and JSON from then on. */
const logAt = (level: "info" | "warn") => (line: string) =>
  ready ? writeLogLine(level, line) : console.log(line);
const log = logAt("warn");
// What broke a service that was once ready may hit it again on the way back.
let ready = hasBegunAnew();

if (Number(process.versions.node.split(".")[0]) < 24) {
  fail(
    `Heed needs Node 24 or newer; this is ${process.versions.node}. "npm start" uses the one that "npm ci" installs.`,
  );
}

const USAGE = `npm start [-- --without-keys]
Starts the service. docs/operating.md lists the variables that it reads.
  --without-keys  go on where a key is lost for good: what it sealed can't be opened any more`;
const { "without-keys": withoutKeys } = readArguments(
  { "without-keys": { type: "boolean", default: false }, anew: { type: "boolean", default: false } },
  USAGE,
);

/** How often a reserve that was given back is tried to be taken anew. */
const RESERVE_INTERVAL_MS = 3600_000;

const onStop: StopHook[] = [];
const beforeStop: StopHook[] = [];
const stopping = stopOnSignal(onStop, logAt("info"), beforeStop);
const begunWith = { folder: process.cwd(), environment: { ...process.env } };
watchUnexpected(() => void startAnew());

const settings = readEnv();
const { dataDir } = settings;

try {
  await start(settings);
  ready = true;
} catch (error) {
  // What breaks because the end has begun is no failure.
  if (!stopping()) {
    console.error(messageForFailure(error, dataDir));
    await runHooks(onStop, log);
    process.exit(1);
  }
}

async function start(env: Env): Promise<void> {
  releaseReserve(env.dataDir, log);
  holdDataFolder(env);
  ensureSecrets(env);
  for (const line of listWidePermissions(env.dataDir)) log(line);
  await prepare(log);
  process.once("exit", markServing(ROOT));
  if (stopping()) return;
  const opening = openDatabase(env, log);
  // Registered before it is open, so that a signal in between finds something to wait for and close.
  onStop.push(async () => (await opening.catch(() => undefined))?.close());
  const { url } = await opening;
  if (stopping()) return;
  const handOver = await migrateAndUse(url, log, async (client) => {
    if (withoutKeys) await forgetMissingKeys(client, env);
    await claimKeys(client, env);
  });
  onStop.unshift(handOver);
  if (stopping()) return;
  process.chdir(ROOT);
  Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
  // Last of all, since what ends before it leaves spans, too.
  onStop.push(await startTraces(env));
  await serve(env);
  await startJobs(url);
  await handOver();
  keepReserve(env);
}

/** A disk that was full when it was needed may have room later. */
function keepReserve(env: Env): void {
  takeReserve(env.dataDir);
  setInterval(() => takeReserve(env.dataDir), RESERVE_INTERVAL_MS).unref();
}

/** What breaks before it is ready would break again. */
async function startAnew(): Promise<void> {
  const again = ready && !stopping();
  log(again ? "Something broke. Ending, and starting anew." : "Something broke. Ending.");
  const inOrder = await endInOrder(onStop, log);
  if (again && inOrder && !stopping()) await beginAnew(begunWith);
  if (!stopping()) process.exit(1);
}

/** In this process, or in several of their own. */
async function serve(env: Env): Promise<void> {
  // Before there are processes that inherit it.
  memoryKey();
  const processes = processesOf(env);
  if (processes === 1) return void (await startServer(env, { onStop, beforeStop, log }));
  const delayMs = env.SHUTDOWN_DELAY_SECONDS * 1000;
  const port = await startProcesses(processes, { onStop, beforeStop, delayMs, log });
  const { takePartInMetrics } = await import("#lib/observability/gather.ts");
  takePartInMetrics();
  log(`Heed is ready on ${env.production ? env.baseUrl : `http://localhost:${port}`}`);
}

/** Starts the job worker, the teller and the sealer, which run in this process, and registers what stops them. */
async function startJobs(url: string): Promise<void> {
  const starting = startWorkers(url);
  // After the requests, before the database. Registered before they stand, since a signal may come first.
  onStop.splice(
    1,
    0,
    async () => runHooks(await starting.catch(() => []), log),
    async () => (await import("#lib/accounts/last-use.ts")).writeLastUses(),
    async () => (await import("#lib/database/client.ts")).disconnect(),
  );
  await starting;
}

/** Loaded late, since they read the environment with the port that was got. @returns what ends them */
async function startWorkers(url: string): Promise<StopHook[]> {
  const { sweepTemporary } = await import("#lib/files/storage/sweep.ts");
  const { startWorker } = await import("#lib/worker/worker.ts");
  const { startTeller } = await import("#lib/worker/dispatcher.ts");
  const { startSealer } = await import("#lib/audit/sealer.ts");
  // What an upload left behind when the last process was killed.
  await sweepTemporary();
  const worker = await startWorker(url);
  const teller = startTeller();
  const sealer = startSealer();
  return [() => teller.stop(), () => worker.stop(), () => sealer.stop()];
}

function readEnv(): Env {
  try {
    const env = parseEnv(process.env);
    trustedProxies(env.TRUSTED_PROXIES);
    return env;
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

/** One service a data folder. Other commands may use the folder beside it; a second service may not. */
function holdDataFolder(env: Env): void {
  const file = path.join(env.dataDir, "run", "service.lock");
  const release = tryLock(file);
  if (!release)
    fail(
      `Heed already runs on ${env.dataDir} (process ${readMark(file)?.split(" ")[0]}). Stop it first, or set HEED_DATA_DIR to another folder.`,
    );
  process.once("exit", release);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
