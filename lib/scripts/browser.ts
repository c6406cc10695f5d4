import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * Finds a browser for the UI tests: the one in HEED_TEST_BROWSER, an installed one, Playwright's own, or else one
 * that can be installed.
 */

type Log = (line: string) => void;

/** The headless shell comes first: it needs a third less processor time. */
const SYSTEM_BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Disables the sandbox (root has none), the GPU, and background network traffic. */
export const BROWSER_SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Returns the path of a working browser; installs one if there is none.
 * @throws Error that says what to do about it
 */
export async function findOrInstallBrowser(log: Log): Promise<string> {
  const installedBrowser = await findInstalledBrowser();
  if (installedBrowser) return installedBrowser;
  if (await runInstallation("Playwright's Chromium", await buildPlaywrightInstall(), log)) {
    const playwrightPath = await findPlaywrightBrowser();
    if (playwrightPath && canRun(playwrightPath)) return playwrightPath;
  }
  for (const command of listSystemInstalls()) {
    await runInstallation("Chromium", command, log);
    const found = SYSTEM_BROWSERS.find(canRun);
    if (found) return found;
  }
  throw new Error(
    "No browser could be found or installed. Install Chromium or Google Chrome, or set HEED_TEST_BROWSER to the path of one.",
  );
}

/**
 * Returns an installed browser.
 * @throws Error when HEED_TEST_BROWSER doesn't name a browser
 */
async function findInstalledBrowser(): Promise<string | undefined> {
  const named = process.env.HEED_TEST_BROWSER;
  if (named && !canRun(named))
    throw new Error(`HEED_TEST_BROWSER should be the path of a browser; ${named} does not run.`);
  if (named) return named;
  const playwrightPath = await findPlaywrightBrowser();
  return [...SYSTEM_BROWSERS, ...(playwrightPath ? [playwrightPath] : [])].find(canRun);
}

function canRun(file: string): boolean {
  if (!fs.existsSync(file)) return false;
  return spawnSync(file, ["--version"], { timeout: 20_000, stdio: "ignore" }).status === 0;
}

async function findPlaywrightBrowser(): Promise<string | undefined> {
  const { chromium } = await import("@playwright/test");
  return chromium.executablePath() || undefined;
}

async function buildPlaywrightInstall(): Promise<string[]> {
  return [path.join(PROJECT_ROOT, "node_modules/.bin/playwright"), "install", "chromium"];
}

function listSystemInstalls(): string[][] {
  const root = process.getuid?.() === 0;
  return root && fs.existsSync("/usr/bin/apt-get")
    ? [
        ["/usr/bin/apt-get", "update"],
        ["/usr/bin/apt-get", "install", "-y", "--no-install-recommends", "chromium-headless-shell"],
        ["/usr/bin/apt-get", "install", "-y", "--no-install-recommends", "chromium"],
      ]
    : [];
}

/** Runs an installation for at most five minutes; its output is shown only when it fails. */
async function runInstallation(what: string, [command = "", ...args]: string[], log: Log): Promise<boolean> {
  log(`No browser yet: installing ${what} (${path.basename(command)} ${args.join(" ")}).`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(command, args, {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
  if (code !== 0) log(`That did not work: ${output.trim().split("\n").slice(-3).join(" ")}`);
  return code === 0;
}
