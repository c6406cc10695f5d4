/** Histograms and their medians. */

/** `values[n]` occurs `counts[n]` times. */
type WeightedValues = { values: ArrayLike<number>; counts: ArrayLike<number> };

/** Like `WeightedValues`, with distinct values in ascending order and no count of 0. */
export type Histogram = { values: Int32Array; counts: Int32Array };

/** Sums the counts of each value over all parts. Negative counts subtract. */
export function mergeHistograms(parts: readonly WeightedValues[]): Histogram {
  const sums = new Map<number, number>();
  for (const { values, counts } of parts)
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number;
      sums.set(value, (sums.get(value) ?? 0) + (counts[at] as number));
    }
  const values = Int32Array.from(sums.keys())
    .filter((value) => sums.get(value) !== 0)
    .sort();
  return { values, counts: values.map((value) => sums.get(value) as number) };
}

/** Returns the one or two middle values, or null for an empty histogram. */
export function findMedianPair(histogram: Histogram): { lower: number; upper: number } | null {
  const total = histogram.counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  return {
    lower: findValueAtRank(histogram, Math.floor((total + 1) / 2)),
    upper: findValueAtRank(histogram, Math.floor(total / 2) + 1),
  };
}

/** Returns the value with this rank, counted from 1. */
function findValueAtRank({ values, counts }: Histogram, rank: number): number {
  let passed = 0;
  return values.find((_, at) => (passed += counts[at] as number) >= rank) ?? Number.NaN;
}
