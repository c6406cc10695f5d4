import { trimEndMatching } from "#lib/design/truncate.ts";

/**
 * Derives a subject line from a report's own words: its first sentence, truncated at a word if too long, prefixed if
 * too short. The form suggests it, and it replaces a blank title. Imports no schema, so that the browser can load it,
 * too.
 * @param limits minimum and maximum characters (code points); the line keeps to them unless the description is empty
 * @param leadIn the prefix in the writer's language
 */
export function deriveSubjectLine(
  description: string,
  limits: { min: number; max: number },
  leadIn: LeadIn,
): string {
  const text = description.replace(/\s+/gu, " ").trim();
  if (!text) return "";
  const line = cutFirstSentence(description, text, limits.min);
  const completeLine = [line, leadIn("subjectLed", { text: line })].find(
    (one) => countCharacters(one) >= limits.min,
  );
  return truncateLine(completeLine ?? leadIn("subjectShort", { text: line }), limits.max);
}

/** Catalog messages of the form; `subjectShort` reaches the minimum with a single character. */
type LeadIn = (key: "subjectLed" | "subjectShort", values: { text: string }) => string;

const countCharacters = (text: string) => [...text].length;

/** Returns the first sentence or line, or the whole text if that is too short. */
function cutFirstSentence(description: string, text: string, min: number): string {
  const line = (description.trim().split(/\n/u, 1)[0] ?? "").replace(/\s+/gu, " ").trim();
  const sentence = /^.*?[.!?…](?=\s|$)/u.exec(line)?.[0] ?? line;
  return countCharacters(sentence) >= min ? trimEndMatching(sentence, /[.…]/u) : text;
}

function truncateLine(text: string, max: number): string {
  const letters = [...text];
  if (letters.length <= max) return text;
  const head = letters.slice(0, max - 1).join("");
  const space = head.lastIndexOf(" ");
  return `${trimEndMatching(space > max / 2 ? head.slice(0, space) : head, /[\s,;:.–-]/u)}…`;
}
