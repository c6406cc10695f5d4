/**
 * Returns the pairs of neighboring words of seven words that follow each other in a text, in whatever
 * way they are separated. A single word proves nothing: "hash" is one, and part of a column's name.
 */
export function findNeighboringWords(text: string, code: string): string[] {
  const words = code.split(" ");
  return words
    .slice(1)
    .map((word, index) => [words[index], word])
    .filter(([first, second]) => new RegExp(`(?<![a-z])${first}[^a-z]+${second}(?![a-z])`, "i").test(text))
    .map((pair) => pair.join(" "));
}
