import type { CaseFileSection } from "./case-file-document.ts";

/** About as many letters as a line of a case file has: a shorter line takes as much room. */
const LETTERS_A_LINE = 95;

/**
 * How long a case file may be, in letters: about 150 pages, which take a core some ten seconds and as much memory as
 * the process that typesets them has.
 */
const MAX_LETTERS = 1_000_000;

/** Computes how much room a text takes, in letters of full lines. */
export const measureText = (text: string): number =>
  text
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS_A_LINE)) * LETTERS_A_LINE, 0);

/**
 * Returns sections that fit into a case file: from where they don't, a section says how many texts it leaves out. Blank
 * lines in a row become one.
 * @param describe says how many texts aren't there
 */
export function fitTexts(
  sections: readonly CaseFileSection[],
  describe: (count: number) => string,
): CaseFileSection[] {
  let left = MAX_LETTERS;
  return sections.map((section) => {
    const texts: CaseFileSection["texts"] = [];
    for (const { about, text } of section.texts) {
      const short = text.replaceAll("\r\n", "\n").replaceAll(/\n\s*\n/g, "\n\n");
      left -= measureText(`${about}\n${short}`);
      if (left < 0) break;
      texts.push({ about, text: short });
    }
    const count = section.texts.length - texts.length;
    return { ...section, texts: count > 0 ? [...texts, { about: "", text: describe(count) }] : texts };
  });
}
