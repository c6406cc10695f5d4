import { defineConfig } from "vitest/config";
import { listSharingFiles } from "./e2e/support/sharing-files.ts";
import { TEST_WORKERS } from "./e2e/support/workers.ts";

/** Unit tests that need a process of their own, since they set what others have read, or replace what others call. */
const UNIT_TESTS_APART = [
  "lib/accounts/recovery-codes.test.ts",
  "lib/accounts/sealed-password.test.ts",
  "lib/crypto/receipt.test.ts",
  "lib/crypto/sealed-text.test.ts",
  "lib/events/schema.test.ts",
  "lib/files/download/download.test.ts",
  "lib/files/storage/sweep.test.ts",
  "lib/files/upload/multipart.test.ts",
  "lib/incidents/idempotency.test.ts",
  "lib/mail/send.test.ts",
  "lib/organizations/schema.test.ts",
  "lib/worker/library-log.test.ts",
  "lib/worker/worker.test.ts",
];

/** Settings of tests over HTTP. */
const API_TEST = {
  globalSetup: "e2e/support/global-setup.ts",
  setupFiles: "e2e/support/own-database.ts",
  // Passwords take their time by design, more of it where several run on two cores.
  testTimeout: 180_000,
  hookTimeout: 120_000,
};

/** Three kinds of tests: beside the code, on a real database, and over HTTP against the production build. */
export default defineConfig({
  test: {
    // Each file has a process, and where it asks for them a database and a server, of its own; most unit tests share one.
    pool: "forks",
    // One more than there are cores, since many wait: for the database, a time-out, a process that ends.
    maxWorkers: TEST_WORKERS + 1,
    // The runner sets it to "/", and to the service it is an address.
    env: { BASE_URL: "" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{app,components,lib}/**/*.test.{ts,tsx}"],
          exclude: UNIT_TESTS_APART,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Half of their time would go into starting processes and loading the same modules.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "unit-apart", include: UNIT_TESTS_APART, testTimeout: 60_000, hookTimeout: 120_000 },
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
        // The files of a worker share its service, and a process that has loaded the modules once.
        test: { ...API_TEST, name: "api", include: listSharingFiles(), isolate: false },
      },
      {
        extends: true,
        test: {
          ...API_TEST,
          name: "api-apart",
          include: ["e2e/api/**/*.test.ts"],
          exclude: listSharingFiles(),
        },
      },
    ],
  },
});
