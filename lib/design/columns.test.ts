import { expect, test } from "vitest";
import { fromColumns, toColumns } from "./columns.ts";

test.each([
  [[]],
  [
    [
      { id: "a", pinned: true },
      { id: "b", about: ["c"] },
    ],
  ],
])("%j is the same after the way through columns", (rows: { id: string }[]) => {
  expect(fromColumns(toColumns(rows))).toEqual(rows);
});

test("columns name each field once", () => {
  expect(toColumns<{ id: string; pinned?: true }>([{ id: "a" }, { id: "b", pinned: true }])).toEqual({
    id: ["a", "b"],
    pinned: [null, true],
  });
});
