/**
 * Shortens a name in its middle to fit a small space: event names often differ only at their end.
 * @param limit in characters, including the ellipsis
 */
export function truncateMiddle(name: string, limit: number): string {
  const letters = [...name];
  if (letters.length <= limit) return name;
  const end = Math.floor((limit - 1) * 0.4);
  const start = limit - 1 - end;
  return `${letters.slice(0, start).join("").trimEnd()}…${letters.slice(-end).join("").trimStart()}`;
}

/**
 * Removes the matching characters from the end of a text. A regular expression anchored at the end would be tried at
 * every character and take quadratic time.
 * @param pattern matches one character
 */
export function trimEndMatching(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Returns the beginning of a text, with an ellipsis where it was cut, between two words if possible.
 * @param limit the maximum number of characters and lines
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
