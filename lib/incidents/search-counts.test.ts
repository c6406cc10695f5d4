import { expect, it } from "vitest";
import {
  afterTheFirst,
  enoughFor,
  isCommon,
  keepMatches,
  knownMatches,
  type Found,
} from "./search-counts.ts";

const found = (eventId: string, reports: number, matching: number, version = 1): Found => ({
  eventId,
  version,
  reports,
  matching,
});

it("knows of the events that were counted, and nothing of another search", () => {
  keepMatches("one", [found("a", 1000, 600), found("b", 10, 0)]);
  expect(knownMatches("one", ["a", "b"])).toEqual([found("a", 1000, 600), found("b", 10, 0)]);
  expect(knownMatches("one", ["b"])).toEqual([found("b", 10, 0)]);
  expect(knownMatches("another", ["a", "b"])).toBeUndefined();
});

it("takes what was counted last", () => {
  keepMatches("newer", [found("a", 1000, 600, 1)]);
  keepMatches("newer", [found("a", 1001, 601, 2)]);
  expect(knownMatches("newer", ["a"])).toEqual([found("a", 1001, 601, 2)]);
});

it("knows too little where many events were never counted, and where none was", () => {
  keepMatches("few", [found("a", 1000, 600)]);
  expect(knownMatches("few", ["a", "b", "c", "d", "e"])).toEqual([found("a", 1000, 600)]);
  expect(knownMatches("few", ["a", "b", "c", "d", "e", "f"])).toBeUndefined();
  expect(knownMatches("few", ["b"])).toBeUndefined();
});

it("forgets the search that was asked for longest ago", () => {
  keepMatches("first", [found("a", 1000, 600)]);
  keepMatches("second", [found("a", 1000, 600)]);
  for (let n = 0; n < 198; n += 1) keepMatches(`search ${n}`, [found("a", 1000, 600)]);
  expect(knownMatches("first", ["a"])).toBeDefined();
  keepMatches("one more", [found("a", 1000, 600)]);
  expect(knownMatches("second", ["a"])).toBeUndefined();
  expect(knownMatches("first", ["a"])).toBeDefined();
});

it("takes a word for common by how many match among how many, and how many are wanted", () => {
  expect(isCommon([found("a", 10_000, 3000)], 20)).toBe(true);
  expect(isCommon([found("a", 10_000, 499)], 1)).toBe(false);
  expect(isCommon([found("a", 500_000, 4000)], 20)).toBe(false);
  expect(isCommon([found("a", 250_000, 4000), found("b", 250_000, 4000)], 20)).toBe(true);
  expect(isCommon([found("a", 10_000, 3000)], 1000)).toBe(false);
});

it("looks at twenty times as many of the newest as there would be without chance", () => {
  expect(enoughFor([found("a", 10_000, 2500)], 20)).toBe(1600);
});

it("lets the others wait for the first who looks for something, and nobody once it is known", async () => {
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const search = (n: number) =>
    afterTheFirst("never looked for", () => {
      began.push(n);
      return new Promise<number>((resolve) => ends.push(() => resolve(n)));
    });
  const all = [search(1), search(2), search(3)];
  await Promise.resolve();
  expect(began).toEqual([1]);
  keepMatches("never looked for", []);
  ends[0]?.();
  expect(await all[0]).toBe(1);
  await expect.poll(() => began).toEqual([1, 2, 3]);
  const later = search(4);
  expect(began).toEqual([1, 2, 3, 4]);
  for (const end of ends) end();
  expect(await Promise.all([...all, later])).toEqual([1, 2, 3, 4]);
});

it("lets the others go on where the first who looked has failed", async () => {
  const failing = afterTheFirst("refused", () => Promise.reject(new Error("too long")));
  const next = afterTheFirst("refused", () => Promise.resolve("found"));
  await expect(failing).rejects.toThrow("too long");
  expect(await next).toBe("found");
});
