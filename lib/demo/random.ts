export type RandomSource = ReturnType<typeof createRandom>;

/** Creates a seeded source of choices, so that the same moment gives the same demo world on every machine. */
export function createRandom(seed: number) {
  const number = createMulberry32Generator(seed);
  const integer = (min: number, max: number) => min + Math.floor(number() * (max - min + 1));
  const pick = <T>(list: readonly T[]): T => list[integer(0, list.length - 1)] as T;
  /** Expands `"[A|The] cat [slept|sat]"` to one of the four sentences. */
  const say = (pattern: string) =>
    pattern.replace(/\[([^[\]]*)\]/g, (_, choices: string) => pick(choices.split("|")));
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    number,
    /** Returns an integer from min to max, both inclusive. */
    integer,
    chance: (probability: number) => number() < probability,
    pick,
    /** Returns a function that deals the items in random orders, each of them once before any comes again. */
    createDealer: <T>(items: readonly T[]) => {
      let left: T[] = [];
      return (): T => {
        if (left.length === 0) left = [...items];
        return left.splice(integer(0, left.length - 1), 1)[0] as T;
      };
    },
    uuid: () => "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replaceAll("x", () => integer(0, 15).toString(16)),
    say,
    /** Says one of the texts that `said` doesn't hold yet, and adds it. @throws Error when there are too few */
    sayNew: (patterns: readonly string[], said: Set<string>): string => {
      for (let attempt = 0; attempt < 500; attempt += 1) {
        const text = say(pick(patterns));
        if (said.size < said.add(text).size) return text;
      }
      throw new Error(`too few texts like: ${patterns[0]}`);
    },
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
