import { namesPerson } from "#lib/design/name-pattern.ts";
import { stripDiacritics } from "#lib/design/unicode.ts";

/** Words of a name that are shorter stand in too many texts. */
const MIN_TERM_LENGTH = 3;

/** Scripts that put no spaces between words. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const NO_LETTER = "[^\\p{L}\\p{N}]";

/**
 * Lists the people whom a text names: by the whole name, or by a word of it that no other of them has. Letter case and
 * accents don't matter. It suggests, and may be wrong.
 */
export function findNamedPeople<Person>(
  text: string,
  people: readonly Person[],
  getName: (person: Person) => string,
): Person[] {
  const patterns = buildNamePatterns(people.map(getName));
  return people.filter((_, at) => namesPerson(text, patterns[at] ?? ""));
}

/** Builds for each name of a group the pattern by which `namesPerson` finds it; empty for a name without letters. */
export function buildNamePatterns(names: readonly string[]): string[] {
  const wordsOfNames = names.map(splitTerms);
  const isTelling = (term: string) =>
    term.length >= MIN_TERM_LENGTH && wordsOfNames.filter((words) => words.includes(term)).length === 1;
  return wordsOfNames.map((words) => {
    if (words.length === 0) return "";
    const whole = words.join(`${NO_LETTER}+`);
    const spaced = `(?:^|${NO_LETTER})(?:${[whole, ...words.filter(isTelling)].join("|")})(?:$|${NO_LETTER})`;
    return UNSPACED_SCRIPT.test(whole) ? `${whole}|${spaced}` : spaced;
  });
}

const splitTerms = (text: string): string[] =>
  stripDiacritics(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
