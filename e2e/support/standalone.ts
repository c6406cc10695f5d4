import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { createBuildOnlyFileMatcher } from "#lib/build/trim.ts";
import type { EnvironmentSettings } from "./process.ts";

/**
 * The service as its container image has it: the build and its runtime packages, in a read-only folder, run by a user
 * who owns none of it; data are elsewhere.
 */

export type Standalone = {
  app: string;
  data: string;
  /** Returns the same installation with an empty data folder. */
  restart(): Standalone;
  removeFolder(): void;
};

/** The parts of the image, including the build. */
const IMAGE_PARTS = [
  "app",
  "components",
  "lib",
  "prisma",
  "public",
  ".next",
  "next.config.mjs",
  "package-lock.json",
  "package.json",
  "postcss.config.mjs",
  "tsconfig.json",
];

const NOBODY_UID = 65534;
const isRoot = process.getuid?.() === 0;

export function createStandalone(): Standalone {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-standalone-"));
  const app = path.join(folder, "app");
  fs.chmodSync(folder, 0o755);
  fs.mkdirSync(app);
  for (const part of IMAGE_PARTS)
    fs.cpSync(path.join(PROJECT_ROOT, part), path.join(app, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isShipped,
    });
  linkPackages(path.join(PROJECT_ROOT, "node_modules"), path.join(app, "node_modules"));
  makeFolderReadOnly(app);
  const restart = (): Standalone => {
    const data = fs.mkdtempSync(path.join(folder, "data-"));
    if (isRoot) fs.chownSync(data, NOBODY_UID, NOBODY_UID);
    return { app, data, restart, removeFolder: () => removeFolder(folder) };
  };
  return restart();
}

const isShipped = (source: string): boolean =>
  !/\.test\.tsx?$/.test(source) && !source.startsWith(path.join(PROJECT_ROOT, ".next", "cache"));

/**
 * Links the packages of the image: without development packages of package-lock.json, and without what only a build
 * needs.
 */
function linkPackages(from: string, to: string): void {
  const isLeft = createBuildOnlyFileMatcher(PROJECT_ROOT);
  linkFolder(from, to, (folder) => isLeft(path.relative(PROJECT_ROOT, folder)));
}

/** Caches of test tools next to the packages, which change during tests. */
const TOOL_CACHES = new Set([".vite", ".vite-temp", ".vitest", ".cache"]);

/** Links instead of copies: there are tens of thousands of files. */
function linkFolder(from: string, to: string, isLeft: (folder: string) => boolean): void {
  fs.mkdirSync(to);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (TOOL_CACHES.has(entry.name)) continue;
    if (entry.isDirectory()) linkFolder(source, target, isLeft);
    else if (isLeft(source)) continue;
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    fs.linkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    fs.copyFileSync(source, target);
  }
}

/** Makes folders read-only. Where root made them, the user who runs the service doesn't own them anyway. */
function makeFolderReadOnly(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeFolderReadOnly(path.join(folder, entry.name));
  fs.chmodSync(folder, 0o555);
}

function removeFolder(folder: string): void {
  const open = (one: string) => {
    fs.chmodSync(one, 0o755);
    for (const entry of fs.readdirSync(one, { withFileTypes: true }))
      if (entry.isDirectory()) open(path.join(one, entry.name));
  };
  open(path.join(folder, "app"));
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Lists name, size and time of every file in a folder. */
export function listFolderState(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true })
    .map(String)
    .map((name) => {
      const { size, mtimeMs } = fs.lstatSync(path.join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    })
    .sort();
}

export type CommandOutcome = { code: number | null; output: string };

function launchStandalone(
  { app, data }: Standalone,
  command: [program: string, ...rest: string[]],
  settings: EnvironmentSettings,
) {
  const [program, ...rest] = command;
  return spawn(
    path.join(app, "node_modules/.bin/node"),
    [
      "--disable-warning=ExperimentalWarning",
      path.join(app, program === "start.ts" ? "lib/server" : "lib/scripts", program),
      ...rest,
    ],
    {
      cwd: data,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: data,
        PORT: "0",
        HOST: "127.0.0.1",
        HEED_DATA_DIR: data,
        ...settings,
      } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
      ...(isRoot && { uid: NOBODY_UID, gid: NOBODY_UID }),
    },
  );
}

/** Runs a command of its `lib/scripts/` until it exits. */
export async function runStandalone(
  installation: Standalone,
  command: [program: string, ...rest: string[]],
  settings: EnvironmentSettings = {},
): Promise<CommandOutcome> {
  const child = launchStandalone(installation, command, settings);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

/** Starts the service and waits until it is ready. @throws Error with its output when it doesn't become ready */
export async function startStandalone(
  installation: Standalone,
  settings: EnvironmentSettings = {},
): Promise<{ url: string; output(): string; stop(): Promise<CommandOutcome> }> {
  const child = launchStandalone(installation, ["start.ts"], settings);
  let output = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const port = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
        const found = /Heed is ready on http:\/\/localhost:(\d+)\n/.exec(output)?.[1];
        if (found) resolve(found);
      });
    void ended.then((code) => reject(new Error(`It ended with code ${code}:\n${output}`)));
    setTimeout(() => reject(new Error(`It is not ready:\n${output}`)), 150_000).unref();
  });
  const stop = async (): Promise<CommandOutcome> => {
    child.kill("SIGTERM");
    return { code: await ended, output };
  };
  const found = await port.catch(async (error) => {
    child.kill("SIGKILL");
    throw error;
  });
  return { url: `http://127.0.0.1:${found}`, output: () => output, stop };
}
