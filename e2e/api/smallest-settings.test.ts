import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { EnvironmentVariablesSchema } from "#lib/env.ts";
import { startService } from "#e2e/support/service.ts";

/** The service starts with each number as low as docs/operating.md says that it may be. */

const SETTING = /^\| `([A-Z_]+)` .*?([\d,]+) to [\d,]+(?: \w+)?\.? *\|$/gm;

test("every number but the two of the database at its documented minimum gives a service that starts and responds, on a port that fetch refuses", async () => {
  const documented = fs.readFileSync(path.join(PROJECT_ROOT, "docs/operating.md"), "utf8");
  const minimums = Object.fromEntries(
    [...documented.matchAll(SETTING)].map(([, name = "", least = ""]) => [name, least.replaceAll(",", "")]),
  );
  expect(Object.keys(minimums)).toContain("UPLOAD_SECONDS");
  expect(Object.keys(minimums).length).toBeGreaterThan(9);
  const {
    PORT: _port,
    HEED_PROCESSES: _processes,
    DATABASE_ACQUIRE_MS,
    DATABASE_STATEMENT_MS,
    ...settings
  } = minimums;
  // A busy machine needs more than this tenth of a second to connect, so a start with these could fail by chance.
  const times = { DATABASE_ACQUIRE_MS, DATABASE_STATEMENT_MS };
  expect(times).toEqual({ DATABASE_ACQUIRE_MS: "100", DATABASE_STATEMENT_MS: "100" });
  expect(EnvironmentVariablesSchema.safeParse(times).success).toBe(true);
  const heed = await startService({ ...settings, PORT: "10080" });
  expect((await heed.visitor().get("/api/health")).status).toBe(200);
});
