import type { Words } from "#components/words/words.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { Locale } from "#lib/i18n/locales.ts";

type Told = Pick<RelatedFile, "mimetype" | "clean" | "reveals">;

/**
 * What the hidden data of a file told, and what became of it: "This photo said where and when it was taken. The team's
 * copy doesn't." Null where there was none. Of a file that wasn't inspected nothing is known.
 */
export function hiddenData(
  { mimetype, clean, reveals }: Told,
  { t, locale }: { t: Words<"ownReport">; locale: Locale },
): string | null {
  if (clean === "not_inspected") return t("told.notInspected");
  const kinds = ORDER.filter((kind) => reveals.includes(kind));
  if (kinds.length === 0) return NOTHING_FOUND[clean] ? t(NOTHING_FOUND[clean]) : null;
  const what = mimetype.startsWith("image/") ? "photo" : "file";
  const became = clean === "cleaned" ? "cleaned" : "kept";
  if (kinds.every((kind) => kind === "author")) return t(`told.maker.${became}`, { what });
  return t(`told.${what}.${became}`, {
    kinds: listed(
      kinds.map((kind) => t(`told.${kind}`)),
      locale,
    ),
  });
}

const ORDER = ["place", "time", "device", "author"] as const;

const NOTHING_FOUND = { clean: null, cleaned: "told.cleaned", not_cleanable: "told.notCleanable" } as const;

/** "where", "where and when", "where, when and by whom". */
const listed = (words: string[], locale: Locale): string =>
  new Intl.ListFormat(locale === "en" ? "en-GB" : locale).format(words);
