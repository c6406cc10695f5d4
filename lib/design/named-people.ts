import { normalizeTextForNameMatch, containsNameTerm } from "#lib/design/name-terms.ts";
import { normalizeNfc, stripDiacritics } from "#lib/design/unicode.ts";

/** Words of a name that are shorter occur in too many texts. */
const MIN_TERM_LENGTH = 3;

/** Scripts that put no spaces between words. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Lists the people whom a text names: by the whole name, or by a part of it that only one of these people has. Letter
 * case and accents don't matter. The result is a suggestion and may be wrong.
 */
export function listPeopleNamedInText<Person>(
  text: string,
  people: readonly Person[],
  getName: (person: Person) => string,
): Person[] {
  const terms = listDistinctiveNameTerms(people.map(getName));
  return people.filter((_, at) => containsNameTerm(text, terms[at] ?? []));
}

/**
 * Lists for each name of a group the terms by which `containsNameTerm` finds it: the whole name, and the parts that
 * no other name in the group has. Spaces around a term prevent matches inside other words.
 */
export function listDistinctiveNameTerms(names: readonly string[]): string[][] {
  const spellings = [normalizeNfc, stripDiacritics].map((spell) => listTermsAsSpelled(names.map(spell)));
  return names.map((_, at) => [...new Set(spellings.flatMap((terms) => terms[at] ?? []))]);
}

function listTermsAsSpelled(names: readonly string[]): string[][] {
  const partsOfNames = names.map((name) => normalizeTextForNameMatch(name).split(" ").filter(Boolean));
  const isTelling = (part: string) =>
    part.length >= MIN_TERM_LENGTH && partsOfNames.filter((parts) => parts.includes(part)).length === 1;
  return partsOfNames.map((parts) => {
    const whole = parts.join(" ");
    if (whole === "") return [];
    return [
      UNSPACED_SCRIPT.test(whole) ? whole : ` ${whole} `,
      ...parts.filter(isTelling).map((one) => ` ${one} `),
    ];
  });
}
