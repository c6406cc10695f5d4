import { trimEndMatching } from "#lib/design/cut.ts";

/**
 * A subject line out of a report's own words: its first sentence, cut at a word where it is too long, led in
 * where it is too short. Used by the form as a suggestion, and where the line was left blank. Knows no
 * schema, so that the browser can have it, too.
 * @param limits least and most characters (code points), which the line keeps unless there are no words at all.
 * @param leadIn what leads in, in the writer's language.
 */
export function deriveSubjectLine(
  description: string,
  limits: { min: number; max: number },
  leadIn: LeadIn,
): string {
  const words = description.replace(/\s+/gu, " ").trim();
  if (!words) return "";
  const line = firstSentence(description, words, limits.min);
  const completeLine = [line, leadIn("subjectLed", { words: line })].find(
    (one) => countCharacters(one) >= limits.min,
  );
  return truncateLine(completeLine ?? leadIn("subjectShort", { words: line }), limits.max);
}

/** Words of the form; the short one is long enough with a single character. */
type LeadIn = (key: "subjectLed" | "subjectShort", values: { words: string }) => string;

const countCharacters = (text: string) => [...text].length;

/** The first sentence or line; more of the text where that alone would say too little. */
function firstSentence(description: string, words: string, min: number): string {
  const line = (description.trim().split(/\n/u, 1)[0] ?? "").replace(/\s+/gu, " ").trim();
  const sentence = /^.*?[.!?…](?=\s|$)/u.exec(line)?.[0] ?? line;
  return countCharacters(sentence) >= min ? trimEndMatching(sentence, /[.…]/u) : words;
}

function truncateLine(text: string, max: number): string {
  const letters = [...text];
  if (letters.length <= max) return text;
  const head = letters.slice(0, max - 1).join("");
  const space = head.lastIndexOf(" ");
  return `${trimEndMatching(space > max / 2 ? head.slice(0, space) : head, /[\s,;:.–-]/u)}…`;
}
