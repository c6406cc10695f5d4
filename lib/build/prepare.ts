import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EnvironmentVariablesSchema } from "#lib/env.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { compressTextFilesUsingCache } from "./compress.ts";
import { acquireFileLock } from "#lib/process-lock.ts";
import { writeRouteTable } from "./route-table.ts";
import { listBuildServingProcessIds } from "#lib/build/build-in-use.ts";

/**
 * Generates what is made from the sources: the Prisma client and the production build. Each stores a hash of its
 * sources, written once it is complete, so that an interrupted or outdated result is never used.
 */

type Log = (line: string) => void;

export const PROJECT_ROOT = path.resolve(import.meta.dirname, "../..");

const BUILD_SOURCES = [
  "app",
  "components",
  "lib",
  "public",
  "prisma/schema.prisma",
  "next.config.mjs",
  "package.json",
  "package-lock.json",
  "postcss.config.mjs",
];

/**
 * Generates and builds what is missing or out of date.
 * @throws Error with the tool's output when it fails, or when a service runs on the outdated build
 */
export async function buildIfOutdated(log: Log, root = PROJECT_ROOT): Promise<void> {
  writeRouteTable(root);
  if (isClientCurrent(root) && isBuildCurrent(root)) return;
  await withBuildLock(root, async () => {
    if (!isBuildCurrent(root)) refuseWhileServed(root);
    if (!isClientCurrent(root)) await generateClient(root, log);
    if (!isBuildCurrent(root)) await buildPages(root, log);
  });
}

/**
 * Generates the code that checks of the sources need, without the pages.
 * @throws Error with the tool's output when it fails, or when a service runs on the outdated build
 */
async function generateIfOutdated(log: Log, root = PROJECT_ROOT): Promise<void> {
  writeRouteTable(root);
  await writeIconsAndMessages(root);
  if (isClientCurrent(root)) return;
  await withBuildLock(root, async () => {
    if (isClientCurrent(root)) return;
    refuseWhileServed(root);
    await generateClient(root, log);
  });
}

async function withBuildLock(root: string, run: () => Promise<void>): Promise<void> {
  // The lock would create this folder for its owner only, but other users may run the service from the build.
  fs.mkdirSync(path.join(root, ".next"), { recursive: true });
  const release = await acquireFileLock(path.join(root, ".next", "cache", "heed-build.lock"), 600_000);
  try {
    await run();
  } finally {
    release();
  }
}

function refuseWhileServed(root: string): void {
  const [pid] = listBuildServingProcessIds(root);
  if (pid)
    throw new Error(
      `The sources have changed since the pages were built, and Heed runs here with those (process ${pid}). Stop it first: a new build would break it.`,
    );
}

/** Hashes the names and contents of all files that the build is made from. */
export function hashSources(root: string, sources: string[]): string {
  const hash = createHash("sha256");
  for (const file of sources.flatMap((source) => listSourceFiles(root, source))) {
    const content = fs.readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

function listSourceFiles(root: string, source: string): string[] {
  const stat = fs.statSync(path.join(root, source), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return isTestFile(source) ? [] : [source];
  const names = fs.readdirSync(path.join(root, source)).sort();
  return names
    .filter((name) => name !== "generated")
    .flatMap((name) => listSourceFiles(root, `${source}/${name}`));
}

function isTestFile(file: string): boolean {
  return /\.(test|spec)\.tsx?$/.test(file);
}

function isClientCurrent(root: string): boolean {
  const client = path.join(root, "lib/generated/prisma/client.ts");
  return fs.existsSync(client) && readText(buildClientHashPath(root)) === computeClientHash(root);
}

async function generateClient(root: string, log: Log): Promise<void> {
  log("Generating the database client.");
  fs.rmSync(buildClientHashPath(root), { force: true });
  // Generating needs no engine; naming any program as the engine keeps the tool from downloading one.
  const environment = {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
  };
  await runTool(root, ["prisma/build/index.js", "generate"], environment);
  fs.writeFileSync(buildClientHashPath(root), computeClientHash(root), { flush: true });
}

function computeClientHash(root: string): string {
  return hashSources(root, ["prisma/schema.prisma", "node_modules/prisma/package.json"]);
}

function buildClientHashPath(root: string): string {
  return path.join(root, "lib/generated/heed-schema");
}

function isBuildCurrent(root: string): boolean {
  return (
    fs.existsSync(path.join(root, ".next/BUILD_ID")) &&
    readText(buildHashFile(root)) === computeBuildHash(root)
  );
}

async function buildPages(root: string, log: Log): Promise<void> {
  log("Building the pages. This takes about a minute, and is needed after a change only.");
  const started = Date.now();
  const hash = hashSources(root, BUILD_SOURCES);
  fs.rmSync(buildHashFile(root), { force: true });
  const progressTimer = setInterval(
    () => log(`Still building, ${Math.round((Date.now() - started) / 1000)} seconds so far.`),
    15_000,
  );
  try {
    await writeIconsAndMessages(root);
    await runNextBuild(root, log);
    await compressTextFilesUsingCache(
      path.join(root, ".next/static"),
      path.join(root, ".next/cache/heed-compressed"),
    );
  } finally {
    clearInterval(progressTimer);
  }
  fs.writeFileSync(buildHashFile(root), computeBuildHash(root, hash), { flush: true });
  log(`Built in ${Math.round((Date.now() - started) / 1000)} seconds.`);
}

/** Loads what it needs only then, since a start of a complete build doesn't. */
async function writeIconsAndMessages(root: string): Promise<void> {
  const [icons, messages] = await Promise.all([import("./icon-styles.ts"), import("./app-messages.ts")]);
  await icons.writeIconStyles(root);
  messages.writeAppMessages(root);
}

/**
 * A build may outlive a start that was killed, and Next allows one build at a time: wait for that one, then build
 * again.
 */
async function runNextBuild(root: string, log: Log): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const environment = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
      return await runTool(root, ["next/dist/bin/next", "build"], environment);
    } catch (error) {
      if (attempt === 60 || !String(error).includes("Another next build process is already running"))
        throw error;
      if (attempt === 0) log("Waiting for the end of a build that was left running.");
      await sleep(2000);
    }
  }
}

/**
 * Computes the hash of a build's sources. The build itself completes tsconfig.json, so this file is hashed after the
 * build, and all other sources before it.
 */
function computeBuildHash(root: string, sources = hashSources(root, BUILD_SOURCES)): string {
  return `${sources} ${hashSources(root, ["tsconfig.json"])}`;
}

function buildHashFile(root: string): string {
  return path.join(root, ".next/heed-sources");
}

/** Runs a tool from node_modules with the current Node binary; shows its output only when it fails. */
function runTool(
  root: string,
  [script = "", task = ""]: string[],
  extra: Record<string, string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, "node_modules", script), task], {
      cwd: root,
      env: { ...createBuildEnvironment(), ...extra },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const killChild = () => child.kill();
    process.once("exit", killChild);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("exit", killChild);
      const what = task === "build" ? "The build" : "Generating the database client";
      if (code === 0) resolve();
      else reject(new Error(`${what} failed:\n${output.trim()}`));
    });
  });
}

/**
 * Returns the environment without the service's settings. The service reads them when it starts, so one build works
 * with any settings.
 */
function createBuildEnvironment(): NodeJS.ProcessEnv {
  const settings = new Set(Object.keys(EnvironmentVariablesSchema.shape));
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !settings.has(name)),
  ) as NodeJS.ProcessEnv;
}

function readText(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

if (import.meta.main) {
  const options = parseArgumentsOrExit(
    { "without-pages": { type: "boolean" } },
    `npm run build [-- --without-pages]
Generates the database client and builds the pages, where the sources have changed.
  --without-pages  only the database client and the table of routes`,
  );
  const run = options["without-pages"] ? generateIfOutdated : buildIfOutdated;
  await run((line) => console.log(line)).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
