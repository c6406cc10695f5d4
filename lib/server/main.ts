import os from "node:os";
import path from "node:path";
import {
  assertAuditKeysMatchDatabase,
  checkEncryptionKeysAndCreateMissingSecrets,
  recordMissingEncryptionKeysAsLost,
} from "#lib/backup/key-fingerprints.ts";
import { getOrCreateInMemorySecretKey, parseEnv } from "#lib/env.ts";
import type { Env } from "#lib/env.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { redirectConsole, writeLogLineWithoutLogger } from "#lib/observability/log-line.ts";
import { startTracing } from "#lib/observability/start.ts";
import { createTrustedProxyMatcher } from "./client-address.ts";
import { describeListeningAddresses, UNREGISTERED_WARNING } from "./listening-addresses.ts";
import { describeUnknownVariables } from "./unknown-variables.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { retryWhileDatabaseUnavailable, startOrAwaitDatabase } from "./open-database.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { readFileOrUndefined, tryAcquireFileLock } from "#lib/process-lock.ts";
import { migrateAndBlockRestores } from "#lib/database/migrate.ts";
import { listInsecureDataFolderPermissions } from "./permissions.ts";
import { buildIfOutdated, PROJECT_ROOT } from "#lib/build/prepare.ts";
import { chooseProcessCount, startServingProcesses } from "./cluster.ts";
import { startServer } from "./server.ts";
import { markBuildInUse } from "#lib/build/build-in-use.ts";
import { restartProcess, isRestartedAfterFailure } from "./self-restart.ts";
import { runStopHooksWithTimeout, runStopHooks, stopOnSignal } from "./shutdown.ts";
import type { StopHook } from "./shutdown.ts";
import { handleUncaughtErrors } from "./uncaught-errors.ts";

/** Builds what is missing, opens and migrates the database, and starts the service; start.ts loads this module. */

/** Writes plain lines for people until the service is first ready, and JSON from then on. */
const logAtLevel = (level: "info" | "warn") => (line: string) =>
  isReady ? writeLogLineWithoutLogger(level, line) : console.log(line);
const log = logAtLevel("warn");
// A service that was ready before its restart counts as ready, so that a repeated failure restarts it again.
let isReady = isRestartedAfterFailure();

if (Number(process.versions.node.split(".")[0]) < 24) {
  exitWithError(
    `Heed needs Node 24 or newer; this is ${process.versions.node}. "npm start" uses the one that "npm ci" installs.`,
  );
}

const USAGE = `npm start [-- --without-keys]
Starts the service. docs/operating.md lists the variables that it reads.
  --without-keys  go on where a key is lost for good: what it sealed or recognized no longer works`;
const { "without-keys": withoutKeys } = parseArgumentsOrExit(
  { "without-keys": { type: "boolean", default: false }, restarted: { type: "boolean", default: false } },
  USAGE,
);

const onStop: StopHook[] = [];
const beforeStop: StopHook[] = [];
const isStopping = stopOnSignal(onStop, logAtLevel("info"), beforeStop);
const restartOptions = { folder: process.cwd(), environment: { ...process.env } };
handleUncaughtErrors(() => void restartAfterError());

const settings = readEnv();
for (const line of describeUnknownVariables(process.env)) log(line);
const { dataDir } = settings;

try {
  await start(settings);
  isReady = true;
  redirectConsole();
  // Loaded only now, since it reads the environment, which has no database before it is open.
  (await import("#lib/admin/exposure-warnings.ts")).logMisconfiguredSettings();
} catch (error) {
  // Errors caused by the shutdown itself aren't failures.
  if (!isStopping()) {
    console.error(describeCommandFailure(error, dataDir));
    await runStopHooks(onStop, log);
    process.exit(1);
  }
}

async function start(env: Env): Promise<void> {
  lockDataFolder(env);
  ensureSessionSecret(env);
  for (const line of listInsecureDataFolderPermissions(env.dataDir)) log(line);
  await buildIfOutdated(log);
  process.once("exit", markBuildInUse(PROJECT_ROOT));
  if (isStopping()) return;
  const opening = startOrAwaitDatabase(env, log);
  // Registered before the database is open, so that a signal in the meantime can wait for it and close it.
  onStop.push(async () => (await opening.catch(() => undefined))?.close());
  const { url } = await opening;
  if (isStopping()) return;
  const releaseStartLock = await migrateAndBlockRestores(url, log, async (client) => {
    if (withoutKeys) await recordMissingEncryptionKeysAsLost(client, env);
    await checkEncryptionKeysAndCreateMissingSecrets(client, env);
    await assertAuditKeysMatchDatabase(client, env);
  });
  onStop.unshift(releaseStartLock);
  if (isStopping()) return;
  process.chdir(PROJECT_ROOT);
  Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
  // The hook that stops tracing runs after all others, since they record spans, too.
  onStop.push(await startTracing(env));
  await retryWhileDatabaseUnavailable(deleteBeforeServing);
  await startServing(env);
  await startAndRegisterWorkers(url);
  await releaseStartLock();
}

/**
 * Deletes what was erased after a backup that was restored, before anybody can read it (docs/decisions/061), and what
 * has become due while no service ran. Due reports that can't be deleted now are left to the hourly job.
 * @throws Error when something that was erased can't be erased again
 */
async function deleteBeforeServing(): Promise<void> {
  const { repeatErasuresLostInRestore } = await import("#lib/retention/repeat-erasures.ts");
  const { deleteDueIncidents } = await import("#lib/retention/deletion.ts");
  const { addDatabaseErasuresToFile } = await import("#lib/erasures/ledger.ts");
  await repeatErasuresLostInRestore();
  await deleteDueIncidents().catch(() => {});
  await addDatabaseErasuresToFile();
}

/** Restarts only a service that has been ready: a failure before that would repeat. */
async function restartAfterError(): Promise<void> {
  const shouldRestart = isReady && !isStopping();
  log(shouldRestart ? "Unexpected error. Shutting down and restarting." : "Unexpected error. Shutting down.");
  const isComplete = await runStopHooksWithTimeout(onStop, log);
  if (shouldRestart && isComplete && !isStopping()) await restartProcess(restartOptions);
  if (!isStopping()) process.exit(1);
}

/** Serves in this process, or in several separate ones. */
async function startServing(env: Env): Promise<void> {
  // Created before the processes that inherit it.
  getOrCreateInMemorySecretKey();
  const processes = chooseProcessCount(env);
  if (processes === 1) {
    const { port } = await startServer(env, { onStop, beforeStop, log });
    return logListeningAddresses(env, port);
  }
  const delayMs = env.SHUTDOWN_DELAY_SECONDS * 1000;
  const port = await startServingProcesses(processes, { onStop, beforeStop, delayMs, log });
  const { registerClusterMetricsHandlers } = await import("#lib/observability/cluster-metrics.ts");
  registerClusterMetricsHandlers();
  log(`Heed is ready on ${env.production ? env.baseUrl : `http://localhost:${port}`}`);
  await logListeningAddresses(env, port);
}

/** In local mode, names the addresses at which others may reach the service, and warns while it has no account. */
async function logListeningAddresses({ HOST, production }: Env, port: number): Promise<void> {
  if (production) return;
  const lines = describeListeningAddresses({ HOST, port }, os.networkInterfaces());
  for (const line of lines) log(line);
  if (lines.length === 0) return;
  const { prisma } = await import("#lib/database/client.ts");
  const hasAccount = await prisma.user.findFirst({ select: { id: true } }).then(Boolean, () => true);
  if (!hasAccount) log(UNREGISTERED_WARNING);
}

/**
 * Starts the job worker, the dispatcher, the recorder of audit heads and the upkeep of the data folder in this process, and
 * registers hooks that stop them.
 */
async function startAndRegisterWorkers(url: string): Promise<void> {
  const starting = startWorkers(url);
  // Stopped after the requests and before the database. Registered before they have started, since a signal may
  // come first.
  onStop.splice(
    1,
    0,
    async () => runStopHooks(await starting.catch(() => []), log),
    async () => (await import("#lib/accounts/last-use.ts")).flushLastUses(),
    async () => (await import("#lib/database/client.ts")).disconnectDatabase(),
  );
  await starting;
}

/**
 * Starts the workers. Their modules are loaded here and not earlier, since they read the environment, which holds the
 * address of the database by now.
 * @returns the hooks that stop the workers
 */
async function startWorkers(url: string): Promise<StopHook[]> {
  const { sweepTemporaryFolders } = await import("#lib/files/storage/sweep.ts");
  const { startDataFolderUpkeep } = await import("./data-folder-upkeep.ts");
  const { startWorker } = await import("#lib/worker/worker.ts");
  const { startOutboxDispatcher } = await import("#lib/worker/dispatcher.ts");
  const { startAuditHeadsRecorder } = await import("#lib/audit/recorder.ts");
  // Removes what uploads left behind when the last process was killed.
  await sweepTemporaryFolders();
  // The service serves by now: requests may have taken every connection.
  const worker = await retryWhileDatabaseUnavailable(() => startWorker(url));
  const dispatcher = startOutboxDispatcher();
  const recorder = startAuditHeadsRecorder();
  const upkeep = startDataFolderUpkeep();
  return [() => upkeep.stop(), () => dispatcher.stop(), () => worker.stop(), () => recorder.stop()];
}

function readEnv(): Env {
  try {
    const env = parseEnv(process.env);
    createTrustedProxyMatcher(env.TRUSTED_PROXIES);
    return env;
  } catch (error) {
    exitWithError(error instanceof Error ? error.message : String(error));
  }
}

/** Allows one service per data folder; other commands may use the folder at the same time. */
function lockDataFolder(env: Env): void {
  const file = path.join(env.dataDir, "run", "service.lock");
  const release = tryAcquireFileLock(file);
  if (!release)
    exitWithError(
      `Heed already runs on ${env.dataDir} (process ${readFileOrUndefined(file)?.split(" ")[0]}). Stop it first, or set HEED_DATA_DIR to another folder.`,
    );
  process.once("exit", release);
}

function exitWithError(message: string): never {
  console.error(message);
  process.exit(1);
}
