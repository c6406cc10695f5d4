import { expect, test } from "vitest";
import { buildHrefWithQueryChanges, listPageNumbers } from "./query.ts";

test("a link keeps the query, applies the changes and drops empty values", () => {
  const query = { search: "bar & café", status: ["submitted", "closed"], page: "3", sort: undefined };
  expect(buildHrefWithQueryChanges("/incidents", query, { page: 4 })).toBe(
    "/incidents?search=bar+%26+caf%C3%A9&status=submitted&status=closed&page=4",
  );
  expect(buildHrefWithQueryChanges("/incidents", query, { page: null, status: null, search: "" })).toBe(
    "/incidents",
  );
});

test("page links include both ends and adjacent pages, and a gap never hides a single page", () => {
  expect(listPageNumbers(1, 1)).toEqual([1]);
  expect(listPageNumbers(1, 3)).toEqual([1, 2, 3]);
  expect(listPageNumbers(4, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(listPageNumbers(6, 20)).toEqual([1, null, 5, 6, 7, null, 20]);
  expect(listPageNumbers(20, 20)).toEqual([1, null, 19, 20]);
  expect(listPageNumbers(9, 4)).toEqual([1, null, 4]);
});
