import fs from "node:fs";
import { defineConfig } from "vitest/config";
import { WaitingFirstSequencer } from "./e2e/support/sequencer.ts";
import { listSharingFiles } from "./e2e/support/sharing-files.ts";
import { VITEST_WORKERS } from "./e2e/support/workers.ts";

/** Unit tests that need a process of their own, since they set what others have read, or replace what others call. */
const UNIT_TESTS_APART = [
  "lib/accounts/recovery-codes.test.ts",
  "lib/accounts/sealed-password.test.ts",
  "lib/conversations/lookup-lane.test.ts",
  "lib/crypto/receipt.test.ts",
  "lib/crypto/sealed-text.test.ts",
  "lib/events/schema.test.ts",
  "lib/files/download/download.test.ts",
  "lib/files/storage/sweep.test.ts",
  "lib/files/upload/multipart.test.ts",
  "lib/incidents/idempotency.test.ts",
  "lib/organizations/schema.test.ts",
  "lib/rate-limits/device-cookie.test.ts",
  "lib/worker/library-log.test.ts",
];

/** Unit tests of components with JSX, which Node doesn't load, and one that loads modules again (`resetModules`). */
const UNIT_TESTS_ON_VITE = [
  "components/audit/audit-text.test.ts",
  "components/incident/due-text.test.ts",
  "components/triage/inbox-state.test.ts",
  "lib/mail/send.test.ts",
];

/**
 * Domain tests that need a process of their own: they set variables such as `SMTP_URL`, use fake timers, or need room
 * among the prepared statements, whose number is limited.
 */
const DOMAIN_TESTS_APART = [
  "e2e/domain/jobs.test.ts",
  "e2e/domain/last-use.test.ts",
  "e2e/domain/mail-queue.test.ts",
  "e2e/domain/sql.test.ts",
  "e2e/domain/worker-clock.test.ts",
  "e2e/domain/worker.test.ts",
];

/** A domain test that loads modules again. */
const DOMAIN_TEST_ON_VITE = "e2e/domain/person-limits.test.ts";

const NAMED_FILES = [...UNIT_TESTS_APART, ...UNIT_TESTS_ON_VITE, ...DOMAIN_TESTS_APART, DOMAIN_TEST_ON_VITE];
for (const file of NAMED_FILES) if (!fs.existsSync(file)) throw new Error(`There is no ${file}.`);

/** Settings of tests on a database without HTTP. */
const DOMAIN_TEST = {
  globalSetup: "e2e/support/global-setup.ts",
  setupFiles: ["e2e/support/record-statements.ts", "e2e/support/own-database.ts"],
  testTimeout: 180_000,
  hookTimeout: 120_000,
};

/** Settings of tests over HTTP. */
const API_TEST = {
  globalSetup: "e2e/support/global-setup.ts",
  setupFiles: ["e2e/support/record-statements.ts", "e2e/support/own-database.ts"],
  // Passwords take their time by design, more of it where several run on two cores.
  testTimeout: 180_000,
  hookTimeout: 120_000,
  retry: 1,
};

/** Three kinds of tests: beside the code, on a real database, and over HTTP against the production build. */
export default defineConfig({
  test: {
    // Node loads the modules, as it does for the service: that takes half the time of transforming them.
    experimental: { viteModuleRunner: false },
    // The files of most projects share the process of a worker; `-apart` has those that need one each.
    pool: "forks",
    maxWorkers: VITEST_WORKERS,
    sequence: { sequencer: WaitingFirstSequencer },
    // The runner sets it to "/", and to the service it is an address.
    env: { BASE_URL: "" },
    // One second, the default, passes while others have the machine.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{app,components,lib}/**/*.test.{ts,tsx}"],
          exclude: [...UNIT_TESTS_APART, ...UNIT_TESTS_ON_VITE],
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
          name: "unit-on-vite",
          include: UNIT_TESTS_ON_VITE,
          experimental: { viteModuleRunner: true },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          ...DOMAIN_TEST,
          name: "domain",
          include: ["e2e/domain/**/*.test.ts"],
          exclude: [...DOMAIN_TESTS_APART, DOMAIN_TEST_ON_VITE],
          // The files of a process find a new database at the same address (own-place.ts).
          isolate: false,
        },
      },
      { extends: true, test: { ...DOMAIN_TEST, name: "domain-apart", include: DOMAIN_TESTS_APART } },
      {
        extends: true,
        test: {
          ...DOMAIN_TEST,
          name: "domain-on-vite",
          include: [DOMAIN_TEST_ON_VITE],
          experimental: { viteModuleRunner: true },
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
          name: "api-own-service",
          include: ["e2e/api/**/*.test.ts"],
          exclude: listSharingFiles(),
          // Each starts a service of its own, on a new database at the same address (own-place.ts).
          isolate: false,
        },
      },
    ],
  },
});
