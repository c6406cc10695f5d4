import { describe, expect, it } from "vitest";
import { buildPaginationLinkHeader, findPageAndTotalPages } from "./page-links.ts";

const parse = (link: string) =>
  Object.fromEntries(
    link.split(", ").map((one) => /^<([^>]*)>; rel="(\w+)"$/.exec(one)?.slice(1).toReversed() ?? []),
  );

const links = (path: string, page: number, totalPages: number, nextCursor?: string | null) =>
  parse(buildPaginationLinkHeader(`http://heed${path}`, { page, totalPages }, nextCursor));

describe("the links of a list", () => {
  it("name the first, previous, next and last page, with the same query", () => {
    expect(links("/api/x?search=a%2Cb%20%3E&page=3&limit=2", 3, 5)).toEqual({
      first: "/api/x?search=a%2Cb+%3E&limit=2&page=1",
      prev: "/api/x?search=a%2Cb+%3E&limit=2&page=2",
      next: "/api/x?search=a%2Cb+%3E&limit=2&page=4",
      last: "/api/x?search=a%2Cb+%3E&limit=2&page=5",
    });
  });

  it.each([
    [1, 1, ["first", "last"]],
    [1, 0, ["first", "last"]],
    [1, 2, ["first", "last", "next"]],
    [2, 2, ["first", "last", "prev"]],
    [9, 2, ["first", "last", "prev"]],
  ])("of page %i of %i are %j", (page, totalPages, expected) => {
    expect(Object.keys(links("/api/x", page, totalPages)).toSorted()).toEqual(expected);
  });

  it("lead from past the end to the last page", () => {
    expect(links("/api/x?page=9", 9, 2)).toMatchObject({ prev: "/api/x?page=2", last: "/api/x?page=2" });
  });

  it("go on with a cursor where there is one", () => {
    expect(links("/api/x?limit=2", 1, 5, "abc")).toMatchObject({ next: "/api/x?limit=2&cursor=abc" });
    expect(links("/api/x?limit=2&cursor=abc", 2, 5, "def")).toEqual({
      first: "/api/x?limit=2&page=1",
      next: "/api/x?limit=2&cursor=def",
    });
    expect(links("/api/x?cursor=def", 5, 9, null)).toEqual({ first: "/api/x?page=1" });
  });
});

it.each([
  [{ pagination: { page: 2, limit: 5, total: 9, totalPages: 2 } }, { page: 2, totalPages: 2 }],
  [{ pagination: { next: 4 } }, undefined],
  [{ incident: {} }, undefined],
  [undefined, undefined],
  [null, undefined],
])("the paging of %j is %j", (result, expected) => {
  expect(findPageAndTotalPages(result)).toEqual(expected);
});
