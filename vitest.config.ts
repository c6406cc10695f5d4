import { defineConfig } from "vitest/config";
import { TEST_WORKERS } from "./e2e/support/workers.ts";

/** Three kinds of tests: beside the code, on a real database, and over HTTP against the production build. */
export default defineConfig({
  test: {
    // Each file has a process, and where it asks for them a database and a server, of its own.
    pool: "forks",
    // One more than there are cores, since many wait: for the database, a time-out, a process that ends.
    maxWorkers: TEST_WORKERS + 1,
    // The runner sets it to "/", and to the service it is an address.
    env: { BASE_URL: "" },
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["{app,components,lib}/**/*.test.{ts,tsx}"], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: "domain",
          include: ["e2e/domain/**/*.test.ts"],
          globalSetup: "e2e/support/global-setup.ts",
          setupFiles: "e2e/support/own-database.ts",
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "api",
          include: ["e2e/api/**/*.test.ts"],
          globalSetup: "e2e/support/global-setup.ts",
          setupFiles: "e2e/support/own-database.ts",
          // Passwords take their time by design, more of it where several run on two cores.
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
