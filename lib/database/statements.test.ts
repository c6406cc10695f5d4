import { expect, test } from "vitest";
import { formatStatementVerbAndTable } from "./statements.ts";

test.each([
  ["select 1", "select"],
  ["SELECT * FROM incidents WHERE title = 'Shouting'", "select incidents"],
  [{ text: 'INSERT INTO "public"."users" (email) VALUES ($1)' }, "insert users"],
  ["update events set name = $1", "update events"],
  ["with x as (select 1 from pins) delete from pins", "with pins"],
  ["begin", "begin"],
  ["", "statement"],
  [undefined, "statement"],
])("%o is named %s", (statement, name) => {
  expect(formatStatementVerbAndTable(statement)).toBe(name);
});
