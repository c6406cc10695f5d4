import type { TimeFormatOptions } from "#lib/design/time.ts";
import { truncateText } from "#lib/design/truncate.ts";

type Options = TimeFormatOptions & {
  /** Label of the kind of incident, in the writer's language; undefined if none was chosen. */
  kind: string | undefined;
  /** Translator of the namespace reportForm. */
  t: (key: "neutralTitle", values: { kind: string; date: string }) => string;
};

/** With the ellipsis, which is two characters, it isn't longer than a title may be. */
const MAX_LENGTH = { letters: 68, lines: 1 };

/**
 * Formats the title of a report for which nobody wrote one: the kind and the day on which it is sent, "Threats or
 * violence, 27 Nov" or "Report of 27 Nov". It holds nothing that the sender wrote, since members of the organization
 * read titles, but neither descriptions nor places (contract 2.4, 10.1). The browser loads it, too, so it imports no schema,
 * and formats the day itself: `lib/design/time.ts` would take the form's script over its limit (docs/performance.md).
 */
export function formatNeutralTitle(at: Date, { kind, t, locale, timeZone }: Options): string {
  const options = { day: "numeric", month: "short", timeZone } as const;
  const date = new Intl.DateTimeFormat(locale === "en" ? "en-GB" : locale, options).format(at);
  return truncateText(t("neutralTitle", { kind: kind || "none", date }), MAX_LENGTH);
}
