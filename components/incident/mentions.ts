import { listMatchKeys } from "#lib/design/match-key.ts";

/** The name being typed after an @, up to the cursor. */
export type TypedMention = { /** Index of the @. */ at: number; name: string };

const MAX_MENTION_LENGTH = 60;

/** Finds the @ before the cursor and the text after it; null if no name is being typed. */
export function findMentionAt(text: string, cursor: number): TypedMention | null {
  const before = text.slice(0, cursor);
  const at = before.lastIndexOf("@");
  if (at < 0 || /[\p{L}\p{N}_]$/u.test(before.slice(0, at))) return null;
  const name = before.slice(at + 1);
  return name.length > MAX_MENTION_LENGTH || /\n|\s{2}|^\s/.test(name) ? null : { at, name };
}

/**
 * Returns people with a word in their name that begins with the typed text, however it is spelled
 * (lib/design/match-key.ts). Leaves out a person whose whole name has been typed.
 */
export function filterPeopleByName<Person extends { name: string }>(
  people: readonly Person[],
  typedName: string,
): Person[] {
  const typed = listKeys(typedName);
  return people.filter(({ name }) => {
    const keys = listKeys(name);
    return (
      !keys.some((key) => typed.includes(key)) &&
      keys.some((key) => typed.some((start) => ` ${key}`.includes(` ${start}`)))
    );
  });
}

const listKeys = (text: string) =>
  listMatchKeys(text).map((key) => key.replaceAll("'", "").replaceAll("-", " "));
