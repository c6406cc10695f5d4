import { expect, it } from "vitest";
import {
  cacheSearchCounts,
  estimateReportsToScanForMatches,
  findCachedSearchCounts,
  isNewestFirstScanFasterForSearch,
  runAfterIdenticalSearch,
  type EventSearchCount,
} from "./search-queries.ts";

const searchCount = (eventId: string, reports: number, matching: number, version = 1): EventSearchCount => ({
  eventId,
  version,
  reports,
  matching,
});

it("finds cached counts by search and event", () => {
  cacheSearchCounts("one", [searchCount("a", 1000, 600), searchCount("b", 10, 0)]);
  expect(findCachedSearchCounts("one", ["a", "b"])).toEqual([
    searchCount("a", 1000, 600),
    searchCount("b", 10, 0),
  ]);
  expect(findCachedSearchCounts("one", ["b"])).toEqual([searchCount("b", 10, 0)]);
  expect(findCachedSearchCounts("another", ["a", "b"])).toBeUndefined();
});

it("replaces an older count", () => {
  cacheSearchCounts("newer", [searchCount("a", 1000, 600, 1)]);
  cacheSearchCounts("newer", [searchCount("a", 1001, 601, 2)]);
  expect(findCachedSearchCounts("newer", ["a"])).toEqual([searchCount("a", 1001, 601, 2)]);
});

it("finds no cached counts if more than four events, or all, are missing", () => {
  cacheSearchCounts("few", [searchCount("a", 1000, 600)]);
  expect(findCachedSearchCounts("few", ["a", "b", "c", "d", "e"])).toEqual([searchCount("a", 1000, 600)]);
  expect(findCachedSearchCounts("few", ["a", "b", "c", "d", "e", "f"])).toBeUndefined();
  expect(findCachedSearchCounts("few", ["b"])).toBeUndefined();
});

it("evicts the least recently used search", () => {
  cacheSearchCounts("first", [searchCount("a", 1000, 600)]);
  cacheSearchCounts("second", [searchCount("a", 1000, 600)]);
  for (let n = 0; n < 198; n += 1) cacheSearchCounts(`search ${n}`, [searchCount("a", 1000, 600)]);
  expect(findCachedSearchCounts("first", ["a"])).toBeDefined();
  cacheSearchCounts("one more", [searchCount("a", 1000, 600)]);
  expect(findCachedSearchCounts("second", ["a"])).toBeUndefined();
  expect(findCachedSearchCounts("first", ["a"])).toBeDefined();
});

it("takes a word for common by the number of matches, of reports and of wanted rows", () => {
  expect(isNewestFirstScanFasterForSearch([searchCount("a", 10_000, 3000)], 20)).toBe(true);
  expect(isNewestFirstScanFasterForSearch([searchCount("a", 10_000, 499)], 1)).toBe(false);
  expect(isNewestFirstScanFasterForSearch([searchCount("a", 500_000, 4000)], 20)).toBe(false);
  expect(
    isNewestFirstScanFasterForSearch([searchCount("a", 250_000, 4000), searchCount("b", 250_000, 4000)], 20),
  ).toBe(true);
  expect(isNewestFirstScanFasterForSearch([searchCount("a", 10_000, 3000)], 1000)).toBe(false);
});

it("scans twenty times as many reports as would do if matches were evenly distributed", () => {
  expect(estimateReportsToScanForMatches([searchCount("a", 10_000, 2500)], 20)).toBe(1600);
});

it("runs the first search alone, and none waits once counts are cached", async () => {
  const startedSearches: number[] = [];
  const finishSearches: (() => void)[] = [];
  const search = (n: number) =>
    runAfterIdenticalSearch("new word", () => {
      startedSearches.push(n);
      return new Promise<number>((resolve) => finishSearches.push(() => resolve(n)));
    });
  const all = [search(1), search(2), search(3)];
  await Promise.resolve();
  expect(startedSearches).toEqual([1]);
  cacheSearchCounts("new word", []);
  finishSearches[0]?.();
  expect(await all[0]).toBe(1);
  await expect.poll(() => startedSearches).toEqual([1, 2, 3]);
  const later = search(4);
  expect(startedSearches).toEqual([1, 2, 3, 4]);
  for (const finish of finishSearches) finish();
  expect(await Promise.all([...all, later])).toEqual([1, 2, 3, 4]);
});

it("lets the others run after the first search has failed", async () => {
  const failing = runAfterIdenticalSearch("refused", () => Promise.reject(new Error("too long")));
  const next = runAfterIdenticalSearch("refused", () => Promise.resolve("found"));
  await expect(failing).rejects.toThrow("too long");
  expect(await next).toBe("found");
});
