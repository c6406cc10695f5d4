import { COMMON_PASSWORD_RANKS } from "#lib/accounts/common-passwords.ts";

/**
 * Estimates how many guesses an attacker needs who tries common passwords, names, repeats, sequences and keyboard
 * rows first, as zxcvbn does: the cheapest way to write the password as a row of such parts decides. The work is
 * bounded by the length of a password (72 bytes), so that it may run on the event loop.
 */

/** Below this many guesses a new password is refused in production mode (contract 4.4). */
export const MIN_PASSWORD_GUESSES = 100_000;

/** More parts than this are never the cheapest way. */
const MAX_PARTS = 6;
/** The longest word or sequence that can be a part. */
const MAX_WORD_LENGTH = 30;
const GUESSES_PER_CHARACTER = 10;
const YEAR_GUESSES = 50;
const KEYBOARD_ROWS = [
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "qsdfghjklm",
  "zxcvbnm",
  "yxcvbnm",
  "1234567890",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol",
].flatMap((row) => [row, [...row].toReversed().join("")]);
const SUBSTITUTES: Record<string, string> = {
  "0": "o",
  "1": "i",
  "!": "i",
  "|": "l",
  "3": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
};

const SUBSTITUTED = /[01!|34@5$78]/;

/**
 * Returns the estimated number of guesses.
 * @param known what an attacker tries first: terms of the person and of the service, in lower case
 */
export function estimateGuesses(password: string, known: ReadonlySet<string> = new Set()): number {
  const characters = [...password];
  const size = characters.length;
  // cheapest[parts][end]: the fewest guesses for the characters before `end` as a row of that many parts.
  const cheapest = Array.from({ length: MAX_PARTS + 1 }, () => Array<number>(size + 1).fill(Infinity));
  (cheapest[0] as number[])[0] = 1;
  for (let start = 0; start < size; start += 1) {
    const blocks = findRepeatedBlocks(characters.slice(start).map((character) => character.toLowerCase()));
    for (let end = start + 1; end <= size; end += 1) {
      const part = characters.slice(start, end).join("");
      const guesses = guessPart(part, { block: blocks[end - start] ?? 0, known });
      for (let parts = 0; parts < MAX_PARTS; parts += 1) {
        const product = (cheapest[parts]?.[start] ?? Infinity) * guesses;
        const row = cheapest[parts + 1] as number[];
        if (product < (row[end] ?? Infinity)) row[end] = product;
      }
    }
  }
  return Math.min(...cheapest.map((row, parts) => (row[size] ?? Infinity) * factorial(parts)));
}

/** The parts may come in any order. */
const factorial = (count: number): number => (count < 2 ? 1 : count * factorial(count - 1));

/**
 * Returns for each length how long the block is that the text of that length repeats; 0 where it repeats none. Works
 * with the borders of the text (Knuth, Morris, Pratt), in linear time.
 */
function findRepeatedBlocks(characters: string[]): number[] {
  const borders = [0, 0];
  const blocks = [0, 0];
  for (let length = 2; length <= characters.length; length += 1) {
    let border = borders[length - 1] ?? 0;
    while (border > 0 && characters[border] !== characters[length - 1]) border = borders[border] ?? 0;
    borders[length] = characters[border] === characters[length - 1] ? border + 1 : 0;
    const block = length - (borders[length] ?? 0);
    blocks[length] = block < length && length % block === 0 ? block : 0;
  }
  return blocks;
}

type PartContext = { block: number; known: ReadonlySet<string> };

function guessPart(text: string, { block, known }: PartContext): number {
  if (block === 0 && text.length > MAX_WORD_LENGTH && !known.has(text.toLowerCase()))
    return GUESSES_PER_CHARACTER ** text.length;
  const lower = text.toLowerCase();
  const caseVariants = lower === text ? 1 : /^\p{Lu}[^\p{Lu}]*$|^[^\p{Ll}]*$/u.test(text) ? 2 : 10;
  const plain = Math.min(guessWord(lower, known), guessRepeat(lower, { block, known }), guessSequence(lower));
  return Math.min(plain * caseVariants, GUESSES_PER_CHARACTER ** [...text].length);
}

function guessWord(lower: string, known: ReadonlySet<string>): number {
  if (lower.length > MAX_WORD_LENGTH && !known.has(lower)) return Infinity;
  if (/^(?:19|20)\d\d$/.test(lower)) return YEAR_GUESSES;
  const rank = (word: string) => (known.has(word) ? 1 : (COMMON_PASSWORD_RANKS.get(word) ?? Infinity));
  const reversed = 2 * rank([...lower].toReversed().join(""));
  if (!SUBSTITUTED.test(lower)) return Math.min(rank(lower), reversed);
  const spelled = lower.replace(/[01!|34@5$78]/g, (sign) => SUBSTITUTES[sign] ?? sign);
  return Math.min(rank(lower), reversed, 2 * rank(spelled), 2 * rank(spelled.replaceAll("i", "l")));
}

/** A block that comes again and again. */
function guessRepeat(lower: string, { block, known }: PartContext): number {
  if (block === 0 || lower.length < 3) return Infinity;
  const characters = [...lower];
  const repeated = characters.slice(0, block).join("");
  const blockGuesses = Math.min(
    guessWord(repeated, known),
    guessSequence(repeated),
    GUESSES_PER_CHARACTER ** block,
  );
  return blockGuesses * (characters.length / block);
}

/** Neighbors in an alphabet, among digits or on a keyboard. */
function guessSequence(lower: string): number {
  if (lower.length < 3 || lower.length > MAX_WORD_LENGTH) return Infinity;
  const codes = Array.from(lower, (character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  const isSteady = codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
  if (Math.abs(step) === 1 && isSteady) return (/^[a1z09]/.test(lower) ? 4 : 26) * lower.length;
  return KEYBOARD_ROWS.some((row) => row.includes(lower)) ? 10 * lower.length : Infinity;
}
