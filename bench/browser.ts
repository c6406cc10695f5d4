import { type Browser, type BrowserContext, chromium } from "@playwright/test";
import { BROWSER_SWITCHES, findOrInstallBrowser } from "#lib/scripts/browser.ts";

/** Runs a measurement in a browser, and closes it afterwards. */
export async function withBrowser<Result>(measure: (browser: Browser) => Promise<Result>): Promise<Result> {
  const executablePath = await findOrInstallBrowser(() => {});
  const browser = await chromium.launch({ executablePath, args: BROWSER_SWITCHES });
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

/** Adds a cookie, given as "name=value". */
export async function addCookie(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const [name = "", value = ""] = cookie.split(/=(.*)/s, 2);
  await context.addCookies([{ name, value, url }]);
}

export const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
