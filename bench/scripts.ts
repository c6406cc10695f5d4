import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { addCookie, withBrowser } from "./browser.ts";
import type { BenchContext } from "./rows.ts";

/** Size of the scripts that pages for visitors and reporters send to a browser, in bytes as transferred. */

export type ScriptSize = {
  title: string;
  /** Bodies of all script responses of a first visit, compressed as they were sent. */
  bytes: number;
  /** Maximum, in bytes. */
  goal: number;
};

const MAX_FORM_SCRIPT_BYTES = 133_600;
/** What an event's page may send beyond a bare page of the framework, which comes in fewer files. */
const MAX_EVENT_PAGE_EXTRA_BYTES = 2500;

/** Measures the report form against its budget, and an event's page against a bare page of the framework. */
export function measureScripts(url: string, { world, cookies }: BenchContext): Promise<ScriptSize[]> {
  const [event] = world.events;
  const bare = measureBareFramework();
  return withBrowser(async (browser) => {
    const visitor = await measureSentBytes(await browser.newPage(), `${url}/e/${event?.slug}`);
    // In a separate browser context, so that nothing comes from the cache of the previous visit.
    const context = await browser.newContext();
    await addCookie(context, url, cookies.reporter);
    const reporter = await measureSentBytes(await context.newPage(), `${url}/e/${event?.slug}/report`);
    return [
      { title: "Script of the report form", bytes: reporter, goal: MAX_FORM_SCRIPT_BYTES },
      { title: "Script of an event's page", bytes: visitor, goal: bare + MAX_EVENT_PAGE_EXTRA_BYTES },
    ];
  });
}

/** @throws Error when the page isn't the requested one */
async function measureSentBytes(page: Page, address: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const response = await page.goto(address, { waitUntil: "networkidle" });
  if (!response?.ok() || page.url() !== address)
    throw new Error(`${address} responded with ${response?.status()} at ${page.url()}.`);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Returns the bytes that the framework sends for a page without code: built for this purpose, compressed like ours. */
function measureBareFramework(): number {
  const folder = path.join(PROJECT_ROOT, ".next", "cache", "heed-bare");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(path.join(folder, "app"), { recursive: true });
  for (const [file, text] of Object.entries(BARE_APP_FILES)) fs.writeFileSync(path.join(folder, file), text);
  const tool = path.join(PROJECT_ROOT, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const;
  const { status, stderr } = spawnSync(process.execPath, [tool, "build"], { cwd: folder, env });
  if (status !== 0) throw new Error(`The bare page could not be built:\n${stderr}`);
  const page = fs.readFileSync(path.join(folder, ".next/server/app/index.html"), "utf8");
  const scripts = [...page.matchAll(/<script src="\/_next\/([^"?]+)[^>]*>/g)]
    .filter(([tag]) => !/nomodule/i.test(tag))
    .map(([, file = ""]) => fs.readFileSync(path.join(folder, ".next", file)));
  fs.rmSync(folder, { recursive: true });
  return scripts.reduce((sum, script) => sum + brotliCompressSync(script).length, 0);
}

const BARE_APP_FILES = {
  "package.json": `{ "private": true, "type": "module" }`,
  "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(PROJECT_ROOT)} } };`,
  "app/layout.jsx": `export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }`,
  "app/page.jsx": `export default function Page() { return <p>Nothing</p>; }`,
};
