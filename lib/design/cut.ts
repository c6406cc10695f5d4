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
