import { describe, expect, it } from "vitest";
import { findMedianPair, mergeHistograms } from "./histogram.ts";

describe("mergeHistograms", () => {
  it("adds up parts in ascending order, and takes away what counts negatively", () => {
    const { values, counts } = mergeHistograms([
      { values: [9, 2], counts: [3, 1] },
      { values: [2, 9, 5], counts: [-1, 1, 2] },
    ]);
    expect([...values]).toEqual([5, 9]);
    expect([...counts]).toEqual([2, 4]);
  });

  it("takes its own result as a part, and leaves it as it is", () => {
    const merged = mergeHistograms([{ values: [10, 2], counts: [1, 1] }]);
    const { values, counts } = mergeHistograms([merged, { values: [10], counts: [-1] }]);
    expect([[...values], [...counts]]).toEqual([[2], [1]]);
    expect([[...merged.values], [...merged.counts]]).toEqual([
      [2, 10],
      [1, 1],
    ]);
  });
});

describe("findMedianPair", () => {
  const of = (values: number[], counts: number[]) => findMedianPair(mergeHistograms([{ values, counts }]));

  it("is the one in the middle, or the two", () => {
    expect(of([0, 10, 900], [1, 1, 1])).toEqual({ lower: 10, upper: 10 });
    expect(of([900, 10], [1, 2])).toEqual({ lower: 10, upper: 10 });
    expect(of([900, 5, 10], [1, 1, 2])).toEqual({ lower: 10, upper: 10 });
    expect(of([5, 9], [2, 2])).toEqual({ lower: 5, upper: 9 });
  });

  it("is null for an empty histogram", () => expect(of([], [])).toBeNull());
});
