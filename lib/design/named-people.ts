import { stripDiacritics } from "#lib/design/unicode.ts";

/** Words of a name that are shorter stand in too many texts. */
const MIN_TERM_LENGTH = 3;

/** Scripts that put no spaces between words. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Lists the people whom a text names: by the whole name, or by a word of it that no other of them has. Letter case and
 * accents don't matter. It suggests, and may be wrong.
 */
export function findNamedPeople<Person>(
  text: string,
  people: readonly Person[],
  getName: (person: Person) => string,
): Person[] {
  const terms = splitTerms(text);
  const names = people.map((person) => splitTerms(getName(person)));
  const isTelling = (term: string) =>
    term.length >= MIN_TERM_LENGTH &&
    terms.includes(term) &&
    names.filter((name) => name.includes(term)).length === 1;
  return people.filter((_, at) => {
    const name = names[at] ?? [];
    return name.length > 0 && (containsName(terms, name) || name.some(isTelling));
  });
}

function containsName(terms: readonly string[], name: readonly string[]): boolean {
  const [text, whole] = [terms.join(" "), name.join(" ")];
  return UNSPACED_SCRIPT.test(whole) ? text.includes(whole) : ` ${text} `.includes(` ${whole} `);
}

const splitTerms = (text: string): string[] =>
  stripDiacritics(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
