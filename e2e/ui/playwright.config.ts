import { defineConfig } from "@playwright/test";
import { BROWSER_SWITCHES } from "#lib/scripts/browser.ts";
import { TEST_WORKERS } from "../support/workers.ts";

/** Journeys in a real browser, against the production build. `npm test -- ui` runs them. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  timeout: 180_000,
  // Shorter than the half minute after which a page without a live connection asks the service for news.
  expect: { timeout: 25_000 },
  workers: TEST_WORKERS,
  fullyParallel: false,
  forbidOnly: true,
  outputDir: "../../test-results",
  use: {
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: { executablePath: process.env.HEED_TEST_BROWSER, args: BROWSER_SWITCHES },
    screenshot: "only-on-failure",
  },
});
