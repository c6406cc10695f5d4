import { describe, expect, it } from "vitest";
import { middleOf, spreadOf } from "./spread.ts";

describe("spreadOf", () => {
  it("adds up parts, and takes away what counts negatively", () => {
    const parts = [
      { values: [1, 2], counts: [3, 1] },
      { values: [2, 1, 5], counts: [-1, 1, 2] },
    ];
    expect([...spreadOf(parts)]).toEqual([
      [1, 4],
      [5, 2],
    ]);
  });
});

describe("middleOf", () => {
  const of = (spread: Record<number, number>) =>
    middleOf(new Map(Object.entries(spread).map(([value, count]) => [Number(value), count])));

  it("is the one in the middle, or the two", () => {
    expect(of({ 0: 1, 10: 1, 900: 1 })).toEqual({ lower: 10, upper: 10 });
    expect(of({ 10: 2, 900: 1 })).toEqual({ lower: 10, upper: 10 });
    expect(of({ 5: 1, 10: 2, 900: 1 })).toEqual({ lower: 10, upper: 10 });
    expect(of({ 5: 2, 9: 2 })).toEqual({ lower: 5, upper: 9 });
  });

  it("is nothing of nothing", () => expect(of({})).toBeNull());
});
