/** How values are spread, and where their middle is. */

/** `counts[n]` of what is counted have `values[n]`. */
export type Entries = { values: number[]; counts: number[] };

/** Value → how many have it, over all parts. Negative counts take away what another part counts. */
export function spreadOf(parts: readonly Entries[]): Map<number, number> {
  const spread = new Map<number, number>();
  for (const { values, counts } of parts)
    for (const [at, value] of values.entries())
      spread.set(value, (spread.get(value) ?? 0) + (counts[at] ?? 0));
  for (const [value, count] of spread) if (count === 0) spread.delete(value);
  return spread;
}

/** The values of the one or two in the middle; null of nothing. */
export function middleOf(spread: Map<number, number>): { lower: number; upper: number } | null {
  const total = [...spread.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const values = [...spread.keys()].sort((a, b) => a - b);
  return {
    lower: ranked(spread, values, Math.floor((total + 1) / 2)),
    upper: ranked(spread, values, Math.floor(total / 2) + 1),
  };
}

/** The value of the one with this rank, counted from 1. */
function ranked(spread: Map<number, number>, sorted: readonly number[], rank: number): number {
  let passed = 0;
  return sorted.find((value) => (passed += spread.get(value) ?? 0) >= rank) ?? Number.NaN;
}
