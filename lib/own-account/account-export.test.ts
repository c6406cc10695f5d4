import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { FILE_COLUMNS, REPORT_COLUMNS } from "./account-export.ts";

const SCHEMA = fs.readFileSync(path.resolve(import.meta.dirname, "../../prisma/schema.prisma"), "utf8");

/** Lists the columns of a model that hold text. */
const listTextColumns = (model: string): string[] => {
  const [, body = ""] = new RegExp(`^model ${model} \\{([^}]*)`, "m").exec(SCHEMA) ?? [];
  return [...body.matchAll(/^ +(\w+) +String(?!.*@db\.Uuid)/gm)].map(([, column]) => column as string);
};

test.each([
  ["Incident", REPORT_COLUMNS, ["summary", "resolution"]],
  [
    "RelatedFile",
    FILE_COLUMNS,
    ["copySha256", "storageKey", "originalKey", "originalKeyId", "reveals", "lost"],
  ],
])("the export has each text of %s, except those that the reporter didn't type", (model, columns, others) => {
  const missing = listTextColumns(model).filter((column) => !(column in columns));
  expect(missing).toEqual(others);
});
