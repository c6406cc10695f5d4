import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { listSqlThatNoTestRan } from "./ran-statements.ts";

test("SQL is missing until a statement with all of its parts was sent", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-statements-"));
  const file = "lib/access/visibility-sql.ts";
  const listPlaces = () => listSqlThatNoTestRan(folder).filter((place) => place.startsWith(`${file}:`));
  try {
    expect(listPlaces().length).toBeGreaterThan(1);
    const text = fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8");
    const lines = [JSON.stringify("select 1"), JSON.stringify(text), '"cut of'];
    fs.writeFileSync(path.join(folder, "one.jsonl"), lines.join("\n"));
    expect(listPlaces()).toEqual([]);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
