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
