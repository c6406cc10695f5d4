import { hasSameName } from "#lib/design/match-key.ts";
import { normalizeTextForNameMatch } from "#lib/design/name-terms.ts";

/** Names of people as a reporter types them, who may know only a part, or more than the account says. */

/** What separates several people: commas, semicolons, line breaks, and "and" in the languages of the interface. */
const SEPARATORS = /[,;&+\n،؛]|\s(?:and|und|et|y|e|و)\s/iu;

/** A shorter word that two names share is an initial, or a "de" or "al". */
const MIN_SHARED_WORD_LENGTH = 3;

/**
 * Finds everybody whom a typed name may mean: all of its words are in their name, or all words of their name are in it.
 * Spelling doesn't matter (lib/design/match-key.ts). Several people may be named at once. A name of which nobody has all
 * words, such as "Mr. Haddad", "Omar H." or one with a typing error, also matches whoever shares a word with it: it is
 * hidden from too many rather than from too few. Whoever is just called "Omar", or "Omar A.", is matched by that word also
 * if somebody else has the whole name.
 * @returns the matches, and whether each of the names that were typed means somebody
 */
export function matchTypedNames<Person extends { name: string }>(
  typed: string,
  people: readonly Person[],
): { matches: Person[]; isComplete: boolean } {
  const names = typed
    .split(SEPARATORS)
    .filter((name) => listSpellings(name).some((parts) => parts.length > 0));
  const found = names.map((one) => people.filter(({ name }) => mayBeSamePerson(one, name)));
  const isWhole = (one: string) => people.some(({ name }) => hasAllWords(name, one));
  const sharesEnough = (one: string, name: string) =>
    sharesWord(one, name) && (!isWhole(one) || hasOneWord(name));
  return {
    matches: people.filter((person) =>
      names.some((one, at) => found[at]?.includes(person) || sharesEnough(one, person.name)),
    ),
    isComplete: found.length > 0 && found.every((matches) => matches.length > 0),
  };
}

/** Returns whether a name has one word at most besides initials. */
const hasOneWord = (name: string): boolean =>
  listSpellings(name).every(
    (parts) => parts.filter(({ length }) => length >= MIN_SHARED_WORD_LENGTH).length < 2,
  );

const listSpellings = (name: string): string[][] =>
  normalizeTextForNameMatch(name).map((spelling) => spelling.split(" ").filter(Boolean));

const mayBeSamePerson = (typed: string, name: string): boolean =>
  hasAllWords(name, typed) || hasAllWords(typed, name);

/** Returns whether all words of one name are in another, however they are spelled. */
const hasAllWords = (all: string, some: string): boolean =>
  hasSameName(all, some) ||
  listSpellings(some).some(
    (words) =>
      words.length > 0 && listSpellings(all).some((others) => words.every((word) => others.includes(word))),
  );

const sharesWord = (typed: string, name: string): boolean =>
  listSpellings(typed).some((parts) =>
    listSpellings(name).some((others) =>
      parts.some((part) => part.length >= MIN_SHARED_WORD_LENGTH && others.includes(part)),
    ),
  );
