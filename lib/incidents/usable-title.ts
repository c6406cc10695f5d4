import type { TimeFormatOptions } from "#lib/design/time.ts";
import { truncateText } from "#lib/design/truncate.ts";
import { normalizeNfc } from "#lib/design/unicode.ts";
import { VISIBLE_CHARACTER_PATTERN } from "#lib/design/visible-text.ts";
import { formatNeutralTitle } from "./neutral-title.ts";

type Options = TimeFormatOptions & {
  /** Translator of the namespace reportForm or intakeOffline. */
  t: (key: "neutralTitle", values: { kind: string; date: string }) => string;
};

/** `incidentTitleInput` (schema.ts) refuses a shorter title. The browser loads this file, which imports no schema. */
const MIN_LENGTH = 10;
/** With the ellipsis, which is two characters, it isn't longer than a title may be. */
const MAX_LENGTH = { letters: 68, lines: 1 };

/** What a title on one line can't hold: control characters, line breaks, bidirectional overrides, lone surrogates. */
const UNUSABLE_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns the title that comes closest to what somebody wrote for a report that can't be refused: without characters
 * that no title can hold, cut if it is too long, with the day if it is too short ("Theft, 27 Nov"), and the neutral
 * title if nothing can be read in it.
 */
export function formatUsableTitle(text: string, at: Date, options: Options): string {
  const line = normalizeNfc(text.replace(UNUSABLE_CHARACTERS, " ").trim());
  if (!VISIBLE_CHARACTER_PATTERN.test(line)) return formatNeutralTitle(at, { ...options, kind: undefined });
  if (isLongEnough(line))
    return [...line].length <= MAX_LENGTH.letters + 2 ? line : truncateText(line, MAX_LENGTH);
  const dated = formatNeutralTitle(at, { ...options, kind: line });
  return isLongEnough(dated) ? dated : formatNeutralTitle(at, { ...options, kind: undefined });
}

const isLongEnough = (title: string): boolean => [...title].length >= MIN_LENGTH;
