import type { CDPSession, Page } from "@playwright/test";
import { addCookie, computeMedian, withBrowser } from "./browser.ts";
import type { BenchContext } from "./rows.ts";

/** The browser's work for common actions of a team in the list of reports, at 1280 px and without throttling. */

export type Interaction = {
  title: string;
  /** Main-thread processor time until the page is idle again, in ms; the median of several rounds. */
  ms: number;
  /** The part of that in tasks of more than 50 ms, in wall-clock time, so a busy machine increases it. */
  longMs: number;
  /** Maximum, in ms. */
  goal: number;
};

const GOAL_MS = 100;
const ROUNDS_PER_STEP = 9;
/** By then, the result of a step has loaded and is displayed. */
const SETTLE_MS = 1200;

/** `seen` is evaluated afterwards, since inspecting the page during the step would add work to it. */
type InteractionStep = {
  title: string;
  key: string;
  seen: (page: Page, row: number, me: string) => Promise<boolean>;
};

const locateRowLink = (page: Page, row: number) => page.locator("li[data-row] a").nth(row);

const STEPS: readonly InteractionStep[] = [
  {
    title: "Going to the next row",
    key: "j",
    seen: (page, row) => locateRowLink(page, row + 1).evaluate((link) => link === document.activeElement),
  },
  {
    title: "Assigning the row to oneself",
    key: "a",
    seen: async (page, row, me) =>
      (await page
        .locator("li[data-row]")
        .nth(row + 1)
        .getAttribute("data-assignee")) === me,
  },
  {
    title: "Opening a report from the list",
    key: "Enter",
    seen: async (page) => /\/i\//.test(page.url()) && (await page.locator("main h1").isVisible()),
  },
];

/** Measures the browser's work for each interaction. @throws Error when a step doesn't have its expected result */
export function measureInteractions(url: string, { world, cookies }: BenchContext): Promise<Interaction[]> {
  return withBrowser(async (browser) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await addCookie(context, url, cookies.team);
    const page = await context.newPage();
    await page.addInitScript(watchLongTasks);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const found = STEPS.map(({ title }) => ({ title, work: [] as MainThreadWork[] }));
    for (let round = 0; round < ROUNDS_PER_STEP; round += 1) {
      await page.goto(`${url}/inbox`, { waitUntil: "load" });
      await waitUntilIdle(page);
      await locateRowLink(page, round).focus();
      for (const [at, { title, key, seen }] of STEPS.entries()) {
        found[at]?.work.push(await measureKeyPress(page, session, key));
        if (!(await seen(page, round, world.teamId))) throw new Error(`${title}: it did not come to that.`);
      }
    }
    return found.map(({ title, work }) => ({ title, ...computeMedianWork(work), goal: GOAL_MS }));
  });
}

type MainThreadWork = { ms: number; longMs: number };

async function measureKeyPress(page: Page, session: CDPSession, key: string): Promise<MainThreadWork> {
  await page.evaluate(() => void (window.heedLongTasks = 0));
  await page.waitForTimeout(SETTLE_MS);
  const before = await readMainThreadMs(session);
  await page.keyboard.press(key);
  await page.waitForTimeout(SETTLE_MS);
  const ms = (await readMainThreadMs(session)) - before;
  return { ms, longMs: await page.evaluate(() => window.heedLongTasks) };
}

async function readMainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

/** Waits until the requested content has arrived and is displayed. */
async function waitUntilIdle(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  await page.evaluate(() => new Promise((shown) => requestIdleCallback(shown, { timeout: 2000 })));
}

declare global {
  interface Window {
    heedLongTasks: number;
  }
}

function watchLongTasks(): void {
  window.heedLongTasks = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.heedLongTasks += duration;
  }).observe({ type: "longtask" });
}

const computeMedianWork = (work: readonly MainThreadWork[]): MainThreadWork => ({
  ms: computeMedian(work.map(({ ms }) => ms)),
  longMs: computeMedian(work.map(({ longMs }) => longMs)),
});
