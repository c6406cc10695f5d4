import { expect, test } from "vitest";
import { listFilesBelowMutationScore } from "./mutation.ts";

type StrykerConfig = {
  reporters: string[];
  jsonReporter: { fileName: string };
  thresholds: { break: number | null };
};

/** Typed as `string`, since the file has no declarations. */
const CONFIG_FILE: string = "../../stryker.config.mjs";

const createMutants = (counts: Record<string, number>): { status: string }[] =>
  Object.entries(counts).flatMap(([status, count]) => Array.from({ length: count }, () => ({ status })));

test("each file needs nine noticed changes in ten, however good the others are", () => {
  const files = {
    "lib/large.ts": { mutants: createMutants({ Killed: 980, Timeout: 20 }) },
    "lib/small.ts": { mutants: createMutants({ Killed: 8, Survived: 2 }) },
    "lib/uncovered.ts": { mutants: createMutants({ Killed: 80, Timeout: 9, NoCoverage: 11 }) },
    "lib/enough.ts": { mutants: createMutants({ Killed: 9, Survived: 1, CompileError: 5, Ignored: 5 }) },
  };
  expect(listFilesBelowMutationScore({ files })).toEqual([
    "lib/small.ts: 80.0 % of the changes noticed, not 90 %",
    "lib/uncovered.ts: 89.0 % of the changes noticed, not 90 %",
  ]);
});

test("the report that the check reads is among Stryker's reporters", async () => {
  const { default: config } = (await import(CONFIG_FILE)) as { default: StrykerConfig };
  expect(config.reporters).toContain("json");
  expect(config.jsonReporter.fileName).toBe("test-results/mutation.json");
  expect(config.thresholds.break).toBe(null);
});
