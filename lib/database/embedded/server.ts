import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Env } from "#lib/env.ts";
import { databasePassword, readSecret } from "#lib/crypto/secrets.ts";
import { isAlive, isRunning, lock, ownMark, readMark } from "#lib/process-lock.ts";
import { asUser, createCluster, existingPlace, findInstallation } from "./installation.ts";
import type { Installation } from "./installation.ts";
import { lackOfRoom, releaseReserve } from "#lib/database/embedded/disk-reserve.ts";

/**
 * The embedded PostgreSQL of a data folder. Every process that uses it leaves a mark; the first one starts the
 * server and the last one stops it, so that a command run beside the service neither starts a second server nor
 * takes the service's one away. A server left over by a killed process is taken on as it is.
 */

type RunningPostgres = { url: string; close(): Promise<void> };

type Server = { pid: number; url: string };
type Log = (line: string) => void;

/** Starts, or joins, the database server of the data folder. `close` stops it unless another process uses it. */
export async function openPostgres(env: Pick<Env, "dataDir">, log: Log): Promise<RunningPostgres> {
  fs.mkdirSync(env.dataDir, { recursive: true, mode: 0o700 });
  if (existingPlace(env.dataDir) && readSecret(env, "database") === undefined)
    throw new Error(
      `secrets/database.key is not in ${env.dataDir}, and its database lets nobody in without it.\nPut back the secrets folder that belongs to this database, or restore a backup into an empty data folder.`,
    );
  const place = { dataDir: env.dataDir, password: databasePassword(env), log };
  const release = await lock(lockFile(env.dataDir), 180_000);
  const mark = leaveMark(env.dataDir);
  try {
    const server = (await adopt(place)) ?? (await start(place));
    return handle(place, server, mark);
  } catch (error) {
    fs.rmSync(mark, { force: true });
    throw error;
  } finally {
    release();
  }
}

/** What it takes to start the server of a data folder; `address` where it has to be that one. */
type Place = { dataDir: string; password: string; log: Log; address?: Address };

function handle(place: Place, server: Server, mark: string): RunningPostgres {
  const { dataDir } = place;
  const looking = lookAfter(place, server);
  // For a process that ends without closing; there is no waiting in an exit listener.
  const onExit = () => {
    fs.rmSync(mark, { force: true });
    if (!inUse(dataDir)) signal(server.pid, "SIGINT");
  };
  process.once("exit", onExit);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await looking.stop();
    await leave(dataDir, server, mark);
    process.off("exit", onExit);
  };
  return { url: server.url, close: () => (closing ??= close()) };
}

async function leave(dataDir: string, server: Server, mark: string): Promise<void> {
  const release = await lock(lockFile(dataDir), 60_000);
  try {
    fs.rmSync(mark, { force: true });
    if (inUse(dataDir)) return;
    // "Fast" shutdown: open transactions are rolled back, everything committed is written.
    signal(server.pid, "SIGINT");
    await gone(server.pid, 60_000);
  } finally {
    release();
  }
}

const LOOK_MS = { first: 500, most: 30_000 };

/**
 * Starts the server again when it has ended and nobody had told it to: killed for want of memory, or fallen over a full
 * disk. It tries for as long as this process runs. Of several processes on one data folder the first one starts it, and
 * the others take it on.
 */
function lookAfter(place: Place, server: Server): { stop(): Promise<void> } {
  const ending = new AbortController();
  const look = async () => {
    for (let wait = LOOK_MS.first; !ending.signal.aborted;) {
      await sleep(wait, undefined, { ref: false, signal: ending.signal }).catch(() => {});
      rotateLog(place.dataDir);
      if (ending.signal.aborted || isRunning(server.pid)) wait = LOOK_MS.first;
      else wait = (await revived(place, server)) ? LOOK_MS.first : Math.min(wait * 2, LOOK_MS.most);
    }
  };
  const looking = look();
  return {
    stop: () => {
      ending.abort();
      return looking;
    },
  };
}

async function revived(place: Place, server: Server): Promise<boolean> {
  const { dataDir, log } = place;
  log("The database server has ended; starting it again.");
  try {
    const release = await lock(lockFile(dataDir), 60_000);
    try {
      // Everything in this process connects to where it was.
      const address = addressOf(server.url);
      server.pid = ((await adopt(place)) ?? (await start({ ...place, address }))).pid;
    } finally {
      release();
    }
    return true;
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/** The server that already runs on this data folder, if any; what a dead one left behind is cleared away. */
async function adopt({ dataDir, password, log }: Place): Promise<Server | undefined> {
  const place = existingPlace(dataDir);
  const left = place && readPostmaster(place);
  if (!place || !left) return undefined;
  if (!isRunning(left.pid) || !isServerOf(left.pid, place)) {
    disown(place);
    return undefined;
  }
  const server = { pid: left.pid, url: left.address && addressUrl(left.address, password) };
  if (await answers(server, 60_000)) return server as Server;
  if (!isRunning(left.pid)) return undefined;
  log("The database server that was left running does not answer; ending it.");
  signal(left.pid, "SIGQUIT");
  await gone(left.pid, 30_000);
  return undefined;
}

async function start({ dataDir, password, log, address }: Place): Promise<Server> {
  const installation = await findInstallation(dataDir, log);
  if (!fs.existsSync(path.join(installation.place, "PG_VERSION"))) {
    log("Creating the database.");
    await createCluster(installation, dataDir, password);
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = await launch(installation, { dataDir, password, address });
    if (typeof outcome !== "string") return outcome;
    // Backends of a killed server need a moment to notice; a port may have gone to somebody else meanwhile.
    const passing = /pre-existing shared memory|could not bind|could not create any TCP/.test(outcome);
    // A running service whose database ended on a full disk has a reserve as well.
    if (!passing && attempt === 1 && releaseReserve(dataDir, log)) continue;
    if (!passing || attempt === 40)
      throw new Error(lackOfRoom(dataDir) ?? `The database did not start:\n${outcome}`);
    await sleep(500);
  }
}

/** One attempt; a string tells what the server said before it ended. */
async function launch(
  installation: Installation,
  {
    dataDir,
    password,
    address: given,
  }: Pick<Place, "dataDir" | "password"> & { address: Address | undefined },
): Promise<Server | string> {
  const address = given ?? (await chooseAddress(installation.place));
  const logFile = openLog(dataDir);
  const command = path.join(installation.bin, "postgres");
  const child = spawn(command, ["-D", installation.place, ...settings(address)], {
    ...asUser(installation.as),
    // A session of its own: Ctrl+C in the terminal must not end the database before the requests in flight.
    detached: true,
    stdio: ["ignore", logFile.handle, logFile.handle],
  });
  let failure: string | undefined;
  child.on("error", (error) => (failure = error.message));
  child.on("exit", () => (failure ??= logFile.written() || "It ended without a word."));
  child.unref();
  const server = { pid: child.pid ?? 0, url: addressUrl(address, password) };
  try {
    const ready = await answers(server, 120_000, () => failure !== undefined);
    if (ready) return server;
    if (!failure) signal(server.pid, "SIGQUIT");
    return failure ?? "It did not answer within two minutes.";
  } finally {
    logFile.close();
  }
}

type Address = { folder: string } | { port: number };

/** A socket in the database's own folder, which nobody else can enter; a loopback port where its path is too long. */
async function chooseAddress(place: string): Promise<Address> {
  const fits = Buffer.byteLength(path.join(place, ".s.PGSQL.5432")) <= 100;
  return fits && process.platform !== "win32" ? { folder: place } : { port: await freePort() };
}

/**
 * Keeps what people sent out of postgres.log. Errors of statements quote values in their messages ("invalid input
 * syntax for type uuid: …"), details, context and statement; the service logs their codes. A crash names the statement
 * that ran in its detail. What the server says about itself (start, stop, crash, recovery) is LOG, FATAL or PANIC.
 */
const NO_QUOTED_VALUES = {
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_min_duration_statement: -1,
  log_min_duration_sample: -1,
  log_transaction_sample_rate: 0,
  log_duration: "off",
  log_lock_waits: "off",
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
};

function settings(address: Address): string[] {
  const values = {
    listen_addresses: "port" in address ? "127.0.0.1" : "",
    unix_socket_directories: "folder" in address ? address.folder : "",
    unix_socket_permissions: "0700",
    port: "port" in address ? address.port : 5432,
    max_connections: 200,
    shared_buffers: "256MB",
    effective_cache_size: "1GB",
    random_page_cost: 1.1,
    jit: "off",
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    logging_collector: "off",
    ...NO_QUOTED_VALUES,
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function addressUrl(address: Address, password: string): string {
  const at =
    "port" in address
      ? `127.0.0.1:${address.port}/heed`
      : `localhost/heed?host=${encodeURIComponent(address.folder)}`;
  return `postgresql://heed:${password}@${at}`;
}

function addressOf(url: string): Address {
  const { port, searchParams } = new URL(url);
  const folder = searchParams.get("host");
  return folder === null ? { port: Number(port) } : { folder };
}

/** Waits until the server lets us in. False when it ended, was given up, or stayed silent for too long. */
async function answers(
  server: { pid: number; url: string | undefined },
  patienceMs: number,
  givenUp = () => false,
): Promise<boolean> {
  let end = Date.now() + patienceMs;
  for (; Date.now() < end; await sleep(25)) {
    if (givenUp() || !isRunning(server.pid)) return false;
    const refusal = server.url ? await knock(server.url) : "no address yet";
    if (refusal === undefined) return true;
    if (refusal === "28P01")
      throw new Error(
        "The database does not accept the password in the secrets folder. Put back the secrets folder that belongs to this database.",
      );
    // Starting up, recovering or shutting down: it is alive, and recovery may take its time.
    if (refusal === "57P03") end = Date.now() + patienceMs;
  }
  return false;
}

async function knock(url: string): Promise<string | undefined> {
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

/** Reads what a server writes about itself: pid, folder, start, port, socket folder, listen address. */
function readPostmaster(place: string): { pid: number; address: Address | undefined } | undefined {
  const text = readMark(path.join(place, "postmaster.pid"));
  if (text === undefined) return undefined;
  const [pid, , , port, folder] = text.split("\n").map((line) => line.trim());
  const address = folder ? { folder } : Number(port) > 0 ? { port: Number(port) } : undefined;
  return { pid: Math.abs(Number(pid)), address };
}

/** After a reboot the recorded pid may belong to anything. Where there is no /proc the recorded pid is believed. */
function isServerOf(pid: number, place: string): boolean {
  const command = readMark(`/proc/${pid}/cmdline`);
  return command === undefined || command.split("\0").includes(place);
}

/**
 * A pid that went to another program, or to nobody, must not keep PostgreSQL from starting. Its files stay in place
 * under a pid that can't exist: from them it learns whether backends of the dead server are still at work.
 */
function disown(place: string): void {
  for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
    const file = path.join(place, name);
    const text = readMark(file);
    if (text !== undefined) fs.writeFileSync(file, text.replace(/^-?\d+/, "999999999"), { flush: true });
  }
}

async function gone(pid: number, patienceMs: number): Promise<void> {
  for (const end = Date.now() + patienceMs; isRunning(pid); await sleep(20)) {
    if (Date.now() > end) throw new Error(`The database server, process ${pid}, does not end.`);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function leaveMark(dataDir: string): string {
  const folder = path.join(dataDir, "run", "database-users");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mark = path.join(folder, `${process.pid}-${randomBytes(4).toString("hex")}`);
  fs.writeFileSync(mark, ownMark());
  return mark;
}

/** True while a living process has its mark here. Marks of the dead are removed on the way. */
function inUse(dataDir: string): boolean {
  const folder = path.join(dataDir, "run", "database-users");
  const marks = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const living = marks.filter((mark) => isAlive(readMark(mark) ?? ""));
  for (const mark of marks) if (!living.includes(mark)) fs.rmSync(mark, { force: true });
  return living.length > 0;
}

function lockFile(dataDir: string): string {
  return path.join(dataDir, "run", "database.lock");
}

const MAX_LOG_BYTES = 10_000_000;

/**
 * Keeps postgres.log to two files of about 10 MB, also while the server runs: it writes at the end of the file that it
 * has open, so the file is copied and emptied. What it writes in between is lost. A full disk leaves the log as it is.
 */
export function rotateLog(dataDir: string): void {
  const file = path.join(dataDir, "postgres.log");
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= MAX_LOG_BYTES) return;
    fs.copyFileSync(file, `${file}.1`);
    fs.chmodSync(`${file}.1`, 0o600);
    fs.truncateSync(file);
  } catch {
    // Tried again at the next look.
  }
}

/** The server's log. `written` is what came since it was opened. */
function openLog(dataDir: string) {
  rotateLog(dataDir);
  const file = path.join(dataDir, "postgres.log");
  const handle = fs.openSync(file, "a+", 0o600);
  const from = fs.fstatSync(handle).size;
  const written = () => {
    const text = fs.readFileSync(file).subarray(from).toString("utf8").trim();
    return text.split("\n").slice(-12).join("\n");
  };
  return { handle, written, close: () => fs.closeSync(handle) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
