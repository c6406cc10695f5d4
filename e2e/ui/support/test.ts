import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type BrowserContext, type Locator, type Page } from "@playwright/test";
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

/** Everybody's size of phone and of laptop. */
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
    await use((person) => signInThere(context, world, person));
  },

  // Every journey fails on what the browser complains of: scripts that break, and what the policy blocked.
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

/** From now on opening a page there, and loading it anew, lasts until script has taken it over. */
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
 * Until script has taken a page over: before that a press does what it does without script, and a key nothing.
 * @throws Error that says which scripts failed and how far the page came
 */
async function takenOver(page: Page, failures: readonly string[]): Promise<void> {
  // What tells screen readers of new pages comes with the first effects, which is when listeners come, too.
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

/** Collects what fails from now on: scripts that don't arrive, and errors in the page, also those that it caught. */
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

/** Signs a person in, in a browser that a test has opened by itself. */
export async function signInThere(
  context: BrowserContext,
  world: TestWorld,
  person: TestPerson,
): Promise<void> {
  const { cookie = "" } = await world.device(person);
  const at = cookie.indexOf("=");
  const url = process.env.HEED_UI_URL ?? "";
  await context.addCookies([{ name: cookie.slice(0, at), value: cookie.slice(at + 1), url }]);
}

/** As many presses of Tab as it takes, at least one. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(target).toBeFocused();
}

/** What axe checks: all rules in the light theme; in the dark one, which changes colors only, the contrast. */
const LOOKS = [
  {
    colorScheme: "light",
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  },
  { colorScheme: "dark", runOnly: ["color-contrast"] },
] as const;

type Look = (typeof LOOKS)[number];

/** No violation of WCAG 2.2 AA that axe can find, in the light theme and the dark. */
export async function expectAccessible(page: Page, looks: readonly Look[] = LOOKS): Promise<void> {
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
    await settle(page);
    // In the page itself, since no page has frames: without this, axe opens another page for each check.
    const builder = new AxeBuilder({ page }).setLegacyMode();
    builder.options({ runOnly: [...look.runOnly], resultTypes: ["violations"] });
    const { violations } = await builder.analyze();
    const found = violations.map(
      ({ id, nodes }) => `${look.colorScheme} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`,
    );
    expect(found).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/**
 * Until nothing fades or moves any more: halfway between two themes colours are nobody's choice. Styles are worked out
 * with the next frame, and what one fade ends may begin another with the frame after it.
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

/** Nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond).toBeLessThanOrEqual(0);
}

/** Everybody can use the page: nothing for axe to find, and nothing to scroll sideways for. */
export async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

/** The same on a phone and on a laptop; it ends on the laptop. */
export async function expectUsableAtEachSize(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expectUsable(page);
  // The dark colors are the same at each size.
  await page.setViewportSize(LAPTOP);
  await expectAccessible(page, [LOOKS[0]]);
  await expectNoSidewaysScroll(page);
}

/** The same, and on the narrowest phone nothing has to be scrolled sideways, either. */
export async function expectUsableToTheNarrowest(page: Page): Promise<void> {
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

/** Opens a page, and waits until it follows what others do. */
export async function openLive(page: Page, address: string): Promise<void> {
  const streaming = page.waitForResponse(/\/api\/users\/me\/stream/);
  await page.goto(address);
  await streaming;
}
