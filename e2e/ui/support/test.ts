import { expect, test as base, type BrowserContext, type Locator, type Page } from "@playwright/test";
import type * as Axe from "axe-core";
import type pg from "pg";
import { Client } from "#e2e/support/client.ts";
import { runInOrder } from "#e2e/support/distinct-times.ts";
import type { Service } from "#e2e/support/service.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";
import { findContrastViolations, loadAxe } from "./contrast.ts";
import { needsTargetSizeRule } from "./target-size.ts";

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
      const pool = openTestPool(process.env.DATABASE_URL, 2);
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
  const failures = collectPageErrors(page);
  page.goto = async (...given) => {
    const response = await goto.apply(page, given);
    await waitForHydration(page, failures);
    return response;
  };
  page.reload = async (...given) => {
    const response = await reload.apply(page, given);
    await waitForHydration(page, failures);
    return response;
  };
}

const HYDRATION_TIMEOUT_MS = 60_000;

/**
 * Waits until a page is hydrated: before that, a press has its effect without script, a key has none, and the page hears
 * nothing from other tabs. `goto` and `reload` do so themselves (`waitForScript`), a page that a press opens doesn't.
 * @throws Error naming the scripts that failed
 */
export async function waitForHydration(page: Page, failures: readonly string[] = []): Promise<void> {
  // The router's announcer is created by the first effects, which also add event listeners.
  const announcer = page.locator("next-route-announcer");
  try {
    await announcer.waitFor({ state: "attached", timeout: HYDRATION_TIMEOUT_MS });
  } catch {
    const state = await page.evaluate(() => ({
      ready: document.readyState,
      heading: document.querySelector("h1")?.textContent,
      scripts: performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .map((script) => {
          const { name, duration, responseStatus } = script as PerformanceResourceTiming;
          return `${name.slice(-30)} ${responseStatus || "failed"} ${Math.round(duration)} ms`;
        }),
    }));
    throw new Error(
      `Script never took over ${page.url()}. Failures: ${failures.join("; ") || "none"}. State: ${JSON.stringify(state)}`,
    );
  }
}

/**
 * Collects errors of the page from this moment, including caught ones. Scripts that don't load are found among the
 * resources of the page (`waitForHydration`): to listen to every response takes more processor time.
 */
function collectPageErrors(page: Page): readonly string[] {
  const failures: string[] = [];
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

type Theme = "light" | "dark";

/** Expects no violation of WCAG 2.2 AA that axe detects, in the light theme: for what comes and goes on a page. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectStructureAccessible(page);
  await expectContrast(page, "light");
}

/**
 * The same for a page as it opens, and for its contrast in the dark theme, which changes nothing but colors. The page's
 * own theme comes first, and the page keeps the other.
 */
export async function expectAccessibleInEachTheme(page: Page): Promise<void> {
  await expectStructureAccessible(page);
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const themes: Theme[] = ["light", "dark"];
  for (const theme of isDark ? themes.toReversed() : themes) await expectContrast(page, theme);
}

async function expectContrast(page: Page, colorScheme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await endAnimations(page);
  expect(await findContrastViolations(page), colorScheme).toEqual([]);
}

/**
 * Expects no violation other than of contrast: where the colors are those of a page that `expectUsable` checks, at
 * another size or in another language.
 */
export async function expectStructureAccessible(page: Page): Promise<void> {
  await endAnimations(page);
  expect(await findStructureViolations(page)).toEqual([]);
}

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Brings animations to their end, since colors in a transition belong to no theme. Styles are computed with the next
 * frame, and one transition may start another.
 */
async function endAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Infinity;
    const findMoving = () =>
      document.getAnimations().filter((one) => one.playState === "running" && ends(one));
    for (let quietFrames = 0; quietFrames < 2; quietFrames += 1) {
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const moving = findMoving();
      if (moving.length > 0) quietFrames = -1;
      for (const one of moving) one.finish();
    }
  });
}

/**
 * Runs all rules of axe except for contrast, which is measured elsewhere, and for sizes of targets where none is in
 * doubt. Style sheets aren't fetched and parsed again (`preload`): only rules that
 * aren't run, or that look at audio and video, need that.
 */
export async function findStructureViolations(page: Page): Promise<string[]> {
  await loadAxe(page);
  const rules = {
    "color-contrast": { enabled: false },
    "target-size": { enabled: await needsTargetSizeRule(page) },
  };
  return page.evaluate(
    async ([runOnly, rules]) => {
      const { axe } = globalThis as unknown as { axe: typeof Axe };
      const { violations } = await axe.run(document, {
        runOnly,
        rules,
        resultTypes: ["violations"],
        preload: false,
        selectors: false,
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    },
    [ALL_RULES, rules] as const,
  );
}

/** Checks each page in the same browser, one after the other; a failure names its page, and the others are still checked. */
export async function checkEach<Key extends string>(
  addresses: readonly Key[],
  check: (address: Key) => Promise<void>,
): Promise<void> {
  test.slow();
  const failures: string[] = [];
  for (const address of addresses)
    await test
      .step(address, () => check(address))
      .catch((error: Error) => failures.push(`${address}: ${error.message}`));
  expect(failures).toEqual([]);
}

/** Expects that nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // The fonts of the system, with which a page begins, may be wider than its own.
  const beyond = await page.evaluate(async () => {
    await document.fonts.ready;
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
  expect(beyond).toBeLessThanOrEqual(0);
}

/** Expects a usable page: no violation that axe detects in either theme, and no sideways scrolling. */
export async function expectUsable(page: Page): Promise<void> {
  await expectAccessibleInEachTheme(page);
  await expectNoSidewaysScroll(page);
}

/**
 * Expects a usable page on a phone, and no sideways scrolling on a laptop: for a page with one part more than one whose
 * structure other journeys check at both sizes. The page keeps the laptop's size.
 */
export async function expectUsableOnPhone(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expectUsable(page);
  await page.setViewportSize(LAPTOP);
  await expectNoSidewaysScroll(page);
}

/** Like `expectUsable`, on a phone and on a laptop, which has the same colors; the page keeps the laptop's size. */
export async function expectUsableAtEachSize(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expectUsable(page);
  await page.setViewportSize(LAPTOP);
  await expectStructureAccessible(page);
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
  const sql: Service["sql"] = async (statement, values) =>
    (await runInOrder(pool, statement, values)) as never;
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

/** Tells a page with script that its tab has come into view, once it listens. */
export async function dispatchVisibilityChange(page: Page): Promise<void> {
  await waitForHydration(page);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

/** Opens a page, and waits until its live connection is up. */
export async function openLivePage(page: Page, address: string): Promise<void> {
  const streaming = page.waitForResponse(/\/api\/users\/me\/stream/);
  await page.goto(address);
  await streaming;
}
