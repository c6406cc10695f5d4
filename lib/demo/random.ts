/** A seeded random generator, so that the demo world is the same on every machine. */
export type RandomSource = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  number(): number;
  /** Returns an integer from min to max, both inclusive. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  /** Chooses an item of a list. @throws Error when the list is empty */
  pick<T>(from: readonly T[]): T;
  /** Picks by weight: `[["often", 9], ["seldom", 1]]`. */
  weighted<T>(from: readonly (readonly [T, number])[]): T;
  shuffled<T>(list: readonly T[]): T[];
  uuid(): string;
  /** Expands `"[A|The] cat [slept|sat]"` to one of the four sentences. */
  say(pattern: string): string;
};

export function createRandom(seed: number): RandomSource {
  const number = createMulberry32Generator(seed);
  const integer = (min: number, max: number) => min + Math.floor(number() * (max - min + 1));
  const chance = (probability: number) => number() < probability;
  const pick = <T>(from: readonly T[]): T => {
    if (from.length === 0) throw new Error("there is nothing to pick from");
    return from[integer(0, from.length - 1)] as T;
  };
  return {
    number,
    integer,
    chance,
    pick,
    weighted: (from) => pickByWeight(from, number()),
    shuffled: (list) =>
      list
        .map((item) => [number(), item] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, item]) => item),
    uuid: () => formatUuid(Array.from({ length: 16 }, () => integer(0, 255))),
    say: (pattern) => pattern.replace(/\[([^[\]]*)\]/g, (_, choices: string) => pick(choices.split("|"))),
  };
}

/** Creates a small seeded generator of numbers from 0 (inclusive) to 1 (exclusive); its state is one 32-bit word. */
export function createMulberry32Generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pickByWeight<T>(from: readonly (readonly [T, number])[], number: number): T {
  const total = from.reduce((sum, [, weight]) => sum + weight, 0);
  let left = number * total;
  for (const [item, weight] of from) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new Error("there is nothing to pick from");
}

/** Formats 16 bytes as a version 4 UUID. */
function formatUuid(bytes: number[]): string {
  const marked = bytes.map((byte, at) => (at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte));
  const hex = Buffer.from(marked).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
