/**
 * A name for where there is little room, cut in its middle: those of events are often told apart by their end.
 * @param limit characters, the mark of the cut included
 */
export function truncateMiddle(name: string, limit: number): string {
  const letters = [...name];
  if (letters.length <= limit) return name;
  const end = Math.floor((limit - 1) * 0.4);
  const start = limit - 1 - end;
  return `${letters.slice(0, start).join("").trimEnd()}…${letters.slice(-end).join("").trimStart()}`;
}

/**
 * The text without the characters at its end that match. A pattern that is anchored at the end alone would be tried at
 * each character, and take the square of a text's length.
 * @param pattern of one character
 */
export function trimEndMatching(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * The beginning of a text, with a mark where it was cut: between two words where there are any.
 * @param limit characters and lines
 */
export function truncateText(text: string, limit: { letters: number; lines: number }): string {
  const lines = text
    .split("\n", limit.lines + 1)
    .slice(0, limit.lines)
    .join("\n");
  const letters = Array.from(lines.slice(0, 2 * limit.letters + 2));
  if (letters.length <= limit.letters) return lines === text ? text : `${lines.trimEnd()} …`;
  const start = letters.slice(0, limit.letters).join("");
  const space = Math.max(...[" ", "\n"].map((one) => `${start}${letters[limit.letters]}`.lastIndexOf(one)));
  return `${(space > start.length / 2 ? start.slice(0, space) : start).trimEnd()} …`;
}
