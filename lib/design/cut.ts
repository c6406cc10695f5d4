/**
 * A name for where there is little room, cut in its middle: those of events are often told apart by their end.
 * @param most characters, the mark of the cut included
 */
export function cutInMiddle(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) * 0.4);
  const start = most - 1 - end;
  return `${letters.slice(0, start).join("").trimEnd()}…${letters.slice(-end).join("").trimStart()}`;
}

/**
 * The text without the characters at its end that match. A pattern that is anchored at the end alone would be tried at
 * each character, and take the square of a text's length.
 * @param pattern of one character
 */
export function trimEndWhere(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * The beginning of a text, with a mark where it was cut: between two words where there are any.
 * @param most characters and lines
 */
export function beginningOf(text: string, most: { letters: number; lines: number }): string {
  const lines = text
    .split("\n", most.lines + 1)
    .slice(0, most.lines)
    .join("\n");
  const letters = Array.from(lines.slice(0, 2 * most.letters + 2));
  if (letters.length <= most.letters) return lines === text ? text : `${lines.trimEnd()} …`;
  const start = letters.slice(0, most.letters).join("");
  const space = Math.max(...[" ", "\n"].map((one) => `${start}${letters[most.letters]}`.lastIndexOf(one)));
  return `${(space > start.length / 2 ? start.slice(0, space) : start).trimEnd()} …`;
}
