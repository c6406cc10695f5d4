import { stripMarks } from "#lib/design/compose.ts";

/** The name that is being written behind an @, up to where the cursor is. */
export type Mention = { /** Where the @ stands. */ at: number; wanted: string };

const LONGEST = 60;

/** The @ before the cursor and what follows it; null where no name is being written. */
export function mentionAt(text: string, cursor: number): Mention | null {
  const before = text.slice(0, cursor);
  const at = before.lastIndexOf("@");
  if (at < 0 || /[\p{L}\p{N}_]$/u.test(before.slice(0, at))) return null;
  const wanted = before.slice(at + 1);
  return wanted.length > LONGEST || /\n|\s{2}|^\s/.test(wanted) ? null : { at, wanted };
}

/** People whose name has a word that begins like what was written. */
export function peopleNamed<Person extends { name: string }>(
  people: readonly Person[],
  wanted: string,
): Person[] {
  const sought = folded(wanted);
  return people.filter(({ name }) => {
    const whole = folded(name);
    return whole !== sought && (whole.startsWith(sought) || whole.includes(` ${sought}`));
  });
}

const folded = (text: string) => stripMarks(text).toLowerCase();
