import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";

/** The service starts with each number as low as docs/operating.md says that it may be. */

const SETTING = /^\| `([A-Z_]+)` .*?([\d,]+) to [\d,]+(?: \w+)?\.? *\|$/gm;

test("every number at its documented minimum gives a service that starts and responds, on a port that fetch refuses", async () => {
  const documented = fs.readFileSync(path.join(PROJECT_ROOT, "docs/operating.md"), "utf8");
  const minimums = Object.fromEntries(
    [...documented.matchAll(SETTING)].map(([, name = "", least = ""]) => [name, least.replaceAll(",", "")]),
  );
  expect(Object.keys(minimums)).toContain("UPLOAD_SECONDS");
  expect(Object.keys(minimums).length).toBeGreaterThan(9);
  const { PORT: _port, HEED_PROCESSES: _processes, ...settings } = minimums;
  const heed = await startService({ ...settings, PORT: "10080" });
  // A busy machine may need more than a second for a connection or a statement.
  await waitUntil("health", async () => (await heed.visitor().get("/api/health")).status === 200);
});
