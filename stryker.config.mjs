/** `npm run mutation` changes these files in small ways and looks whether a unit test notices each change. */
export default {
  mutate: [
    "lib/operation/policy.ts",
    "lib/access/visibility.ts",
    "lib/incidents/lifecycle.ts",
    "lib/incidents/redaction.ts",
  ],
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "lib/scripts/mutation-tests.ts", related: false },
  coverageAnalysis: "perTest",
  // Its own reading of tsconfig.json needs an interface that TypeScript 7 does not have.
  tsconfigFile: "none",
  concurrency: 2,
  timeoutMS: 10_000,
  // lib/scripts/mutation.ts fails the run, since a threshold here would be of all files together.
  thresholds: { high: 95, low: 90, break: null },
  reporters: ["clear-text", "progress", "json"],
  jsonReporter: { fileName: "test-results/mutation.json" },
  clearTextReporter: { allowColor: false, logTests: false },
  tempDirName: "test-results/stryker",
  ignorePatterns: [
    "/.next",
    "/data",
    "/test-results",
    "/e2e",
    "/app",
    "/components",
    "/docs",
    "/public",
    "/bench",
  ],
};
