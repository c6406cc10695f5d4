import { defineConfig } from "@playwright/test";
import { BROWSER_SWITCHES } from "#lib/scripts/browser.ts";
import { TEST_WORKERS } from "../support/workers.ts";

/** Journeys in a real browser, against the production build. `npm test -- ui` runs them. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  timeout: 90_000,
  expect: { timeout: 15_000 },
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
