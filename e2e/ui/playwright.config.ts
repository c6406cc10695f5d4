import { defineConfig } from "@playwright/test";
import { BROWSER_SWITCHES } from "#lib/scripts/browser.ts";
import { TEST_WORKERS } from "../support/workers.ts";

/**
 * Options of V8 that save an eighth of the browser's processor time. Optimized code doesn't pay off on a page that lives
 * for seconds, compiled code is worth keeping for the next page, and one thread collects garbage with less work than
 * several.
 */
const OPTIONS_FOR_SHORT_LIVED_PAGES =
  "--js-flags=--no-opt,--no-maglev,--no-flush-bytecode,--single-threaded-gc";

/** Journeys in a real browser, against the production build. `npm test -- ui` runs them. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  timeout: 180_000,
  // Shorter than the half minute after which a page without a live connection asks the service for news.
  expect: { timeout: 25_000 },
  workers: TEST_WORKERS,
  retries: 1,
  fullyParallel: false,
  forbidOnly: true,
  outputDir: "../../test-results",
  use: {
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.HEED_TEST_BROWSER,
      args: [...BROWSER_SWITCHES, OPTIONS_FOR_SHORT_LIVED_PAGES],
    },
    screenshot: "only-on-failure",
  },
});
