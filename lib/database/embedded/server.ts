import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Env } from "#lib/env.ts";
import { loadEmbeddedDatabasePassword, readSecret } from "#lib/crypto/secrets.ts";
import {
  isProcessIdentityRunning,
  isPidRunning,
  acquireFileLock,
  getProcessIdentity,
  readFileOrUndefined,
} from "#lib/process-lock.ts";
import {
  buildSpawnOptionsForSystemUser,
  createCluster,
  findDatabaseFolder,
  preparePostgresInstallation,
} from "./installation.ts";
import type { PostgresInstallation } from "./installation.ts";
import {
  LOG_PRIVACY_SETTINGS,
  openPostgresLog,
  rotatePostgresLog,
} from "#lib/database/embedded/postgres-log.ts";
import {
  type ServerAddress,
  findRunningPostmaster,
  invalidatePidFiles,
} from "#lib/database/embedded/postmaster-file.ts";
import { assertNoServerListens, findSocketPath } from "#lib/database/embedded/socket.ts";

/**
 * The embedded PostgreSQL of a data folder. Every process that uses it leaves a mark; the first one starts the server
 * and the last one stops it. A command next to the service therefore neither starts a second server nor stops the
 * service's one. A server left over from a killed process is adopted as it is.
 */

type RunningPostgres = { url: string; close(): Promise<void> };

type EmbeddedServer = { pid: number; url: string };
type Log = (line: string) => void;

/**
 * Starts or joins the database server of the data folder. `close` stops it unless another process uses it.
 * @param fsync false only for a database that is deleted at the end: a crash of the machine may damage it
 */
export async function startOrJoinEmbeddedPostgres(
  env: Pick<Env, "dataDir">,
  log: Log,
  { fsync = true }: { fsync?: boolean } = {},
): Promise<RunningPostgres> {
  fs.mkdirSync(env.dataDir, { recursive: true, mode: 0o700 });
  if (findDatabaseFolder(env.dataDir) && readSecret(env, "database") === undefined)
    throw new Error(
      `secrets/database.key is not in ${env.dataDir}, and its database lets nobody in without it.\nPut back the secrets folder that belongs to this database, or restore a backup into an empty data folder.`,
    );
  const options = { dataDir: env.dataDir, password: loadEmbeddedDatabasePassword(env), log, fsync };
  const release = await acquireFileLock(buildLockFilePath(env.dataDir), 180_000);
  const mark = writeUsageMark(env.dataDir);
  try {
    const server = (await adoptServer(options)) ?? (await startPostgres(options));
    return createHandle(options, server, mark);
  } catch (error) {
    fs.rmSync(mark, { force: true });
    throw error;
  } finally {
    release();
  }
}

/** The options to start the server of a data folder; `address` if it has to be a specific one. */
type ServerOptions = { dataDir: string; password: string; log: Log; fsync: boolean; address?: ServerAddress };

function createHandle(options: ServerOptions, server: EmbeddedServer, mark: string): RunningPostgres {
  const { dataDir } = options;
  const supervision = superviseServer(options, server);
  // For a process that exits without closing; an exit listener can't wait.
  const onExit = () => {
    fs.rmSync(mark, { force: true });
    if (!isDatabaseInUse(dataDir)) sendSignal(server.pid, "SIGINT");
  };
  process.once("exit", onExit);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await supervision.stop();
    await releaseServer(dataDir, server, mark);
    process.off("exit", onExit);
  };
  return { url: server.url, close: () => (closing ??= close()) };
}

async function releaseServer(dataDir: string, server: EmbeddedServer, mark: string): Promise<void> {
  const release = await acquireFileLock(buildLockFilePath(dataDir), 60_000);
  try {
    fs.rmSync(mark, { force: true });
    if (isDatabaseInUse(dataDir)) return;
    // SIGINT is PostgreSQL's fast shutdown: open transactions are rolled back, and everything committed is written.
    sendSignal(server.pid, "SIGINT");
    await waitUntilExited(server.pid, 60_000);
  } finally {
    release();
  }
}

const CHECK_INTERVAL_MS = { first: 500, most: 30_000 };

/**
 * Restarts the server when it has ended unexpectedly: killed for lack of memory, or stopped by a full disk. It
 * retries for as long as this process runs. Of several processes on one data folder, the first one starts the server
 * and the others adopt it.
 */
function superviseServer(options: ServerOptions, server: EmbeddedServer): { stop(): Promise<void> } {
  const abortController = new AbortController();
  const checkUntilStopped = async () => {
    for (let wait = CHECK_INTERVAL_MS.first; !abortController.signal.aborted;) {
      await sleep(wait, undefined, { ref: false, signal: abortController.signal }).catch(() => {});
      rotatePostgresLog(options.dataDir);
      if (abortController.signal.aborted || isPidRunning(server.pid)) wait = CHECK_INTERVAL_MS.first;
      else
        wait = (await restartServer(options, server))
          ? CHECK_INTERVAL_MS.first
          : Math.min(wait * 2, CHECK_INTERVAL_MS.most);
    }
  };
  const supervision = checkUntilStopped();
  return {
    stop: () => {
      abortController.abort();
      return supervision;
    },
  };
}

async function restartServer(options: ServerOptions, server: EmbeddedServer): Promise<boolean> {
  const { dataDir, log } = options;
  log("The database server has ended; starting it again.");
  try {
    const release = await acquireFileLock(buildLockFilePath(dataDir), 60_000);
    try {
      // Everything in this process connects to the previous address.
      const address = parseAddress(server.url);
      server.pid = ((await adoptServer(options)) ?? (await startPostgres({ ...options, address }))).pid;
    } finally {
      release();
    }
    return true;
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/**
 * Returns the server that already runs on this data folder, if any; cleans up what a dead one left behind.
 * @throws Error when a server runs on it that isn't among the processes seen here, as in another container
 */
async function adoptServer({ dataDir, password, log }: ServerOptions): Promise<EmbeddedServer | undefined> {
  const databaseFolder = findDatabaseFolder(dataDir);
  if (!databaseFolder) return undefined;
  const postmaster = findRunningPostmaster(databaseFolder);
  if (!postmaster) {
    await assertNoServerListens(databaseFolder);
    invalidatePidFiles(databaseFolder);
    return undefined;
  }
  const server = {
    pid: postmaster.pid,
    url: postmaster.address && buildDatabaseUrl(postmaster.address, password),
  };
  if (await waitUntilReady(server, 60_000)) return server as EmbeddedServer;
  if (!isPidRunning(postmaster.pid)) return undefined;
  log("The database server that was left running does not answer; ending it.");
  sendSignal(postmaster.pid, "SIGQUIT");
  await waitUntilExited(postmaster.pid, 30_000);
  return undefined;
}

/** Stops the server that a killed process left running on a data folder that nobody uses any more. */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  const databaseFolder = findDatabaseFolder(dataDir);
  const postmaster = databaseFolder && findRunningPostmaster(databaseFolder);
  if (!postmaster) return;
  // Immediate shutdown: the data are deleted anyway.
  sendSignal(postmaster.pid, "SIGQUIT");
  await waitUntilExited(postmaster.pid, 30_000);
}

async function startPostgres(options: ServerOptions): Promise<EmbeddedServer> {
  const { dataDir, password, log } = options;
  const installation = await preparePostgresInstallation(dataDir, log);
  if (!fs.existsSync(path.join(installation.databaseFolder, "PG_VERSION"))) {
    log("Creating the database.");
    await createCluster(installation, dataDir, password);
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = await launchServer(installation, options);
    if (typeof outcome !== "string") return outcome;
    // Backends of a killed server take a moment to exit, and another program may have taken the port in the meantime.
    const isTransient = /pre-existing shared memory|could not bind|could not create any TCP/.test(outcome);
    if (!isTransient || attempt === 40)
      throw new Error(
        describeFullDisk(installation.databaseFolder) ?? `The database did not start:\n${outcome}`,
      );
    await sleep(500);
  }
}

/** In bytes: PostgreSQL needs up to two WAL segments of 16 MiB before it accepts connections. */
const FREE_SPACE_TO_START = 40 * 1024 * 1024;

/** Returns why a server can't start on the disk of a folder; undefined if there is enough space. */
function describeFullDisk(folder: string): string | undefined {
  const { bavail, bsize } = fs.statfsSync(folder);
  if (bavail * bsize >= FREE_SPACE_TO_START) return undefined;
  const [free, needed] = [bavail * bsize, FREE_SPACE_TO_START].map((bytes) => Math.round(bytes / 1e6));
  return `There is no room left on the disk of ${folder}: ${free} MB are free, and a start needs ${needed} MB.\nMake room there, and start Heed again.`;
}

/** Makes one attempt to start the server. If that fails, returns a string: the server's output, or what went wrong. */
async function launchServer(
  installation: PostgresInstallation,
  { dataDir, password, fsync, address: requestedAddress }: ServerOptions,
): Promise<EmbeddedServer | string> {
  const address = requestedAddress ?? (await chooseServerAddress(installation.databaseFolder));
  const logFile = openPostgresLog(dataDir);
  const command = path.join(installation.binFolder, "postgres");
  const settings = buildServerSettings(address, fsync);
  const child = spawn(command, ["-D", installation.databaseFolder, ...settings], {
    ...buildSpawnOptionsForSystemUser(installation.systemUser),
    // In its own session, so that Ctrl+C in the terminal doesn't stop the database before the requests in flight.
    detached: true,
    stdio: ["ignore", logFile.handle, logFile.handle],
  });
  let failure: string | undefined;
  child.on("error", (error) => (failure = error.message));
  const noteExit = () => (failure ??= logFile.written() || "It ended without a word.");
  child.on("exit", noteExit);
  child.unref();
  const server = { pid: child.pid ?? 0, url: buildDatabaseUrl(address, password) };
  try {
    const ready = await waitUntilReady(server, 120_000, () => failure !== undefined);
    if (ready) return server;
    if (!failure) sendSignal(server.pid, "SIGQUIT");
    return failure ?? "It did not answer within two minutes.";
  } finally {
    // A server that became ready may outlive its data folder, and then `noteExit` couldn't read the log.
    child.off("exit", noteExit);
    logFile.close();
  }
}

/**
 * Returns a socket in the database's own folder, which no one else can enter, or a loopback port if its path is too
 * long.
 */
async function chooseServerAddress(databaseFolder: string): Promise<ServerAddress> {
  return findSocketPath(databaseFolder) ? { folder: databaseFolder } : { port: await findFreePort() };
}

function buildServerSettings(address: ServerAddress, fsync: boolean): string[] {
  const values = {
    listen_addresses: "port" in address ? "127.0.0.1" : "",
    unix_socket_directories: "folder" in address ? address.folder : "",
    unix_socket_permissions: "0700",
    port: "port" in address ? address.port : 5432,
    max_connections: 200,
    shared_buffers: "32MB",
    effective_cache_size: "1GB",
    random_page_cost: 1.1,
    jit: "off",
    fsync: fsync ? "on" : "off",
    synchronous_commit: "on",
    full_page_writes: fsync ? "on" : "off",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    logging_collector: "off",
    ...LOG_PRIVACY_SETTINGS,
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function buildDatabaseUrl(address: ServerAddress, password: string): string {
  const at =
    "port" in address
      ? `127.0.0.1:${address.port}/heed`
      : `localhost/heed?host=${encodeURIComponent(address.folder)}`;
  return `postgresql://heed:${password}@${at}`;
}

function parseAddress(url: string): ServerAddress {
  const { port, searchParams } = new URL(url);
  const folder = searchParams.get("host");
  return folder === null ? { port: Number(port) } : { folder };
}

/** Waits until the server accepts connections. False when it exited, was given up, or didn't respond in time. */
async function waitUntilReady(
  server: { pid: number; url: string | undefined },
  timeoutMs: number,
  isGivenUp = () => false,
): Promise<boolean> {
  let end = Date.now() + timeoutMs;
  for (; Date.now() < end; await sleep(25)) {
    if (isGivenUp() || !isPidRunning(server.pid)) return false;
    const refusalCode = server.url ? await tryConnect(server.url) : "no address yet";
    if (refusalCode === undefined) return true;
    if (refusalCode === "28P01")
      throw new Error(
        "The database does not accept the password in the secrets folder. Put back the secrets folder that belongs to this database.",
      );
    // Starting up, recovering or shutting down: the server is alive, and recovery may take long.
    if (refusalCode === "57P03") end = Date.now() + timeoutMs;
  }
  return false;
}

async function tryConnect(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? "unknown";
  } finally {
    await client.end().catch(() => {});
  }
}

async function waitUntilExited(pid: number, timeoutMs: number): Promise<void> {
  for (const end = Date.now() + timeoutMs; isPidRunning(pid); await sleep(20)) {
    if (Date.now() > end) throw new Error(`The database server, process ${pid}, does not end.`);
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function writeUsageMark(dataDir: string): string {
  const folder = path.join(dataDir, "run", "database-users");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mark = path.join(folder, `${process.pid}-${randomBytes(4).toString("hex")}`);
  fs.writeFileSync(mark, getProcessIdentity());
  return mark;
}

/** Returns whether a living process has its mark here. Removes the marks of dead processes. */
function isDatabaseInUse(dataDir: string): boolean {
  const folder = path.join(dataDir, "run", "database-users");
  const marks = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const livingMarks = marks.filter((mark) => isProcessIdentityRunning(readFileOrUndefined(mark) ?? ""));
  for (const mark of marks) if (!livingMarks.includes(mark)) fs.rmSync(mark, { force: true });
  return livingMarks.length > 0;
}

function buildLockFilePath(dataDir: string): string {
  return path.join(dataDir, "run", "database.lock");
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
