import type { Page } from "@playwright/test";
import { expect, test } from "./support/test.ts";

/** On a network that loses a request now and then, a page must not stay without its scripts. */

const SCRIPTS = "**/_next/static/**/*.js";

async function listScripts(page: Page): Promise<string[]> {
  await page.goto("/login");
  return page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".js")),
  );
}

test("a page whose scripts are each lost once is hydrated all the same", async ({ page, context }) => {
  const scripts = await listScripts(page);
  expect(scripts.length).toBeGreaterThan(3);
  const lost = new Set<string>();
  await context.route(SCRIPTS, async (route) => {
    const url = route.request().url();
    if (lost.has(url)) return route.continue();
    lost.add(url);
    await route.abort("connectionreset");
  });
  // Fails unless the page is hydrated.
  await page.goto("/login");
  expect([...lost].sort()).toEqual([...new Set(scripts)].sort());
});
