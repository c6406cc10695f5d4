import fs from "node:fs";
import { createRequire } from "node:module";
import { expect, test as base, type BrowserContext, type Locator, type Page } from "@playwright/test";
import type * as Axe from "axe-core";
import pg from "pg";
import { Client } from "#e2e/support/client.ts";
import type { Service } from "#e2e/support/service.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

type Heed = {
  /** People, organizations and events of this worker. */
  world: TestWorld;
};

type InBrowser = {
  /** Signs a person in, in the browser of this test. */
  signIn: (person: TestPerson) => Promise<void>;
};

/** Common sizes of a phone and a laptop, in px. */
export const PHONE = { width: 360, height: 740 };
export const LAPTOP = { width: 1280, height: 900 };

export const test = base.extend<InBrowser, Heed>({
  baseURL: process.env.HEED_UI_URL,

  world: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
      await use(await TestWorld.build(serviceOn(pool)));
      await pool.end();
    },
    { scope: "worker" },
  ],

  signIn: async ({ context, world }, use) => {
    await use((person) => signInWithContext(context, world, person));
  },

  // Every UI test fails on console errors of the browser: broken scripts, and requests that the policy blocked.
  page: async ({ page, javaScriptEnabled }, use) => {
    if (javaScriptEnabled) waitForScript(page);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy|hydrat/i.test(message.text())) complaints.push(message.text());
    });
    await use(page);
    expect(complaints).toEqual([]);
  },
});

export { expect };

/** Makes `goto` and `reload` of this page wait until hydration. */
export function waitForScript(page: Page): void {
  const { goto, reload } = page;
  const failures = collectScriptFailures(page);
  page.goto = async (...given) => {
    const response = await goto.apply(page, given);
    await takenOver(page, failures);
    return response;
  };
  page.reload = async (...given) => {
    const response = await reload.apply(page, given);
    await takenOver(page, failures);
    return response;
  };
}

const TAKEOVER_TIMEOUT_MS = 60_000;

/**
 * Waits until a page is hydrated: before that, a press has its effect without script, and a key has none. @throws Error
 * naming the scripts that failed
 */
async function takenOver(page: Page, failures: readonly string[]): Promise<void> {
  // The router's announcer is created by the first effects, which also add event listeners.
  const announcer = page.locator("next-route-announcer");
  try {
    await announcer.waitFor({ state: "attached", timeout: TAKEOVER_TIMEOUT_MS });
  } catch {
    const state = await page.evaluate(() => ({
      ready: document.readyState,
      heading: document.querySelector("h1")?.textContent,
      scripts: performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ name, duration }) => `${name.slice(-30)} ${Math.round(duration)} ms`),
    }));
    throw new Error(
      `Script never took over ${page.url()}. Failures: ${failures.join("; ") || "none"}. State: ${JSON.stringify(state)}`,
    );
  }
}

/** Collects script failures from now on: scripts that don't load, and errors in the page, including caught ones. */
function collectScriptFailures(page: Page): readonly string[] {
  const failures: string[] = [];
  page.on("requestfailed", (request) => {
    if (request.resourceType() === "script")
      failures.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script" && !response.ok())
      failures.push(`${response.url()} ${response.status()}`);
  });
  page.on("pageerror", ({ message }) => failures.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") failures.push(message.text());
  });
  return failures;
}

/** Signs a person in, in a browser context that the test has opened. */
export async function signInWithContext(
  context: BrowserContext,
  world: TestWorld,
  person: TestPerson,
): Promise<void> {
  const { cookie = "" } = await world.device(person);
  const at = cookie.indexOf("=");
  const url = process.env.HEED_UI_URL ?? "";
  await context.addCookies([{ name: cookie.slice(0, at), value: cookie.slice(at + 1), url }]);
}

/** Presses Tab until the target has the focus, at least once. */
export async function pressTabUntilFocused(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(target).toBeFocused();
}

/**
 * The themes and rules that axe checks: all rules in the light theme; only contrast in the dark theme, which changes
 * nothing but colors.
 */
const LOOKS = [
  {
    colorScheme: "light",
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  },
  { colorScheme: "dark", runOnly: ["color-contrast"] },
] as const;

type Look = (typeof LOOKS)[number];

/** Expects no violation of WCAG 2.2 AA that axe detects, in the light and the dark theme. */
export async function expectAccessible(page: Page, looks: readonly Look[] = LOOKS): Promise<void> {
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
    await settle(page);
    const found = await findViolations(page, look.runOnly);
    expect(found.map((violation) => `${look.colorScheme} ${violation}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const AXE_SOURCE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Runs axe in the page itself, since no page has frames; it is loaded once a page. Style sheets aren't fetched and
 * parsed again (`preload`): only rules that aren't run, or that look at audio and video, need that.
 */
async function findViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE_SOURCE);
  return page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof Axe };
      const options = { runOnly, resultTypes: ["violations" as const], preload: false, selectors: false };
      const { violations } = await axe.run(document, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    },
    [...rules],
  );
}

/**
 * Waits until no animation runs, since colors in a transition belong to no theme. Styles are computed with the next
 * frame, and one transition may start another.
 */
async function settle(page: Page): Promise<void> {
  const moving = () =>
    page.evaluate(async () => {
      const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
      const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Infinity;
      const names: string[] = [];
      for (let frames = 0; frames < 3; frames += 1) {
        await frame();
        for (const one of document.getAnimations())
          if (one.playState === "running" && ends(one)) names.push(one.constructor.name);
      }
      return names;
    });
  await expect.poll(moving).toEqual([]);
}

/** Expects that nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond).toBeLessThanOrEqual(0);
}

/** Expects a usable page: no violation that axe detects, and no sideways scrolling. */
export async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

/** Like `expectUsable`, on a phone and on a laptop; the page keeps the laptop's size. */
export async function expectUsableAtEachSize(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expectUsable(page);
  // The dark colors are the same at each size.
  await page.setViewportSize(LAPTOP);
  await expectAccessible(page, [LOOKS[0]]);
  await expectNoSidewaysScroll(page);
}

/** Like `expectUsableAtEachSize`; also expects no sideways scrolling on the narrowest phone. */
export async function expectUsableFromNarrowestPhone(page: Page): Promise<void> {
  await expectUsableAtEachSize(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
}

function serviceOn(pool: pg.Pool): Service {
  const url = process.env.HEED_UI_URL ?? "";
  const sql: Service["sql"] = async (statement, values = []) =>
    (await pool.query(statement, values)).rows as never;
  const countRows = async () => ({});
  return {
    url,
    sql,
    visitor: (cookie) => new Client(url, { countRows }, cookie),
    rows: async (table, where = "true", values = []) =>
      (await sql<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`, values))[0]?.n ?? 0,
    cookieName: "session",
  } as Service;
}

/** Opens a page, and waits until its live connection is up. */
export async function openLivePage(page: Page, address: string): Promise<void> {
  const streaming = page.waitForResponse(/\/api\/users\/me\/stream/);
  await page.goto(address);
  await streaming;
}
