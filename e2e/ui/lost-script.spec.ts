import type { BrowserContext, Page } from "@playwright/test";
import { expect, test } from "./support/test.ts";

/** On a network that loses a request now and then, a page must not stay without its scripts. */

const SCRIPTS = "**/_next/static/**/*.js";
const STYLESHEETS = "**/_next/static/**/*.css";

/** Lists what the page itself loads; the icons of pages like this one come only after it is hydrated. */
async function listScripts(page: Page): Promise<string[]> {
  const html = await (await page.request.get("/login")).text();
  const sources = [...html.matchAll(/<script(?![^>]*nomodule)[^>]* src="([^"]+\.js)"/gi)].map(
    ([, source]) => source!,
  );
  return [...new Set(sources)].map((source) => new URL(source, process.env.HEED_UI_URL).href);
}

/** Loses each script once, and returns the list of those lost, which grows. */
async function loseEachScriptOnce(context: BrowserContext): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  await context.route(SCRIPTS, async (route) => {
    const url = route.request().url();
    if (lost.has(url)) return route.continue();
    lost.add(url);
    await route.abort("connectionreset");
  });
  return lost;
}

test("a page whose scripts are each lost once is hydrated all the same, also where they are lost before the stylesheets arrive", async ({
  page,
  context,
}) => {
  const scripts = await listScripts(page);
  expect(scripts.length).toBeGreaterThan(3);
  const lost = await loseEachScriptOnce(context);
  // Fails unless the page is hydrated.
  await page.goto("/login");
  expect([...lost]).toEqual(expect.arrayContaining(scripts));

  await context.unrouteAll();
  const lostBefore = await loseEachScriptOnce(context);
  // An inline script, also the one that requests lost scripts again, waits for all stylesheets before it. A browser
  // requests the scripts once only one stylesheet is missing.
  let stylesheets = 0;
  await context.route(STYLESHEETS, async (route) => {
    stylesheets += 1;
    if (stylesheets === 2) await expect.poll(() => scripts.every((one) => lostBefore.has(one))).toBe(true);
    await route.continue();
  });
  await page.goto("/login");
  expect(stylesheets).toBeGreaterThanOrEqual(2);
  expect([...lostBefore]).toEqual(expect.arrayContaining(scripts));
});
