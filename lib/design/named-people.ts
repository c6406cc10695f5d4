import { normalizeTextForNameMatch, containsNameTerm } from "#lib/design/name-terms.ts";

/** Words of a name that are shorter occur in too many texts. */
const MIN_TERM_LENGTH = 3;

/** Scripts that put no spaces between words. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Lists the people whom a text names: by the whole name, or by a part of it that only one of these people has. Spellings
 * may differ (lib/design/match-key.ts). The result is a suggestion and may be wrong.
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
  const spellingsOfNames = names.map((name) =>
    normalizeTextForNameMatch(name).map((spelling) => spelling.split(" ").filter(Boolean)),
  );
  const isTelling = (part: string) =>
    part.length >= MIN_TERM_LENGTH &&
    spellingsOfNames.filter((spellings) => spellings.some((parts) => parts.includes(part))).length === 1;
  return spellingsOfNames.map((spellings) => [
    ...new Set(spellings.flatMap((parts) => listTerms(parts, isTelling))),
  ]);
}

function listTerms(parts: readonly string[], isTelling: (part: string) => boolean): string[] {
  const whole = parts.join(" ");
  if (whole === "") return [];
  return [
    UNSPACED_SCRIPT.test(whole) ? whole : ` ${whole} `,
    ...parts.filter(isTelling).map((one) => ` ${one} `),
  ];
}
