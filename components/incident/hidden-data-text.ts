import type { Translator } from "#components/i18n/translator.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { Locale } from "#lib/i18n/locales.ts";

type FileMetadata = Pick<RelatedFile, "mimetype" | "clean" | "reveals" | "lost">;
type TextContext = { t: Translator<"ownReport">; locale: Locale };

/**
 * Describes a file's hidden data and what happened to it: "This photo contained hidden data showing where it was taken.
 * We removed it from the team's copy." Also says if the file wasn't inspected or couldn't be cleaned, and what else the
 * copy lacks. Null if there is nothing to say.
 */
export function describeHiddenData(file: FileMetadata, context: TextContext): string | null {
  const sentences = [describeMetadata(file, context), ...file.lost.map((part) => context.t(`lost.${part}`))];
  return sentences.filter(Boolean).join(" ") || null;
}

function describeMetadata(
  { mimetype, clean, reveals }: FileMetadata,
  { t, locale }: TextContext,
): string | null {
  if (clean === "not_inspected") return t("hiddenData.notInspected");
  const kinds = REVEAL_ORDER.filter((kind) => reveals.includes(kind));
  if (kinds.length === 0) return NO_HIDDEN_DATA_KEYS[clean] ? t(NO_HIDDEN_DATA_KEYS[clean]) : null;
  const what = mimetype.startsWith("image/") ? "photo" : "file";
  const cleaningKey = clean === "cleaned" ? "cleaned" : "notRemoved";
  if (kinds.every((kind) => kind === "author")) return t(`hiddenData.maker.${cleaningKey}`, { what });
  return t(`hiddenData.${what}.${cleaningKey}`, {
    kinds: formatList(
      kinds.map((kind) => t(`hiddenData.${kind}`)),
      locale,
    ),
  });
}

const REVEAL_ORDER = ["place", "time", "device", "author"] as const;

const NO_HIDDEN_DATA_KEYS = {
  clean: null,
  cleaned: "hiddenData.cleaned",
  not_cleanable: "hiddenData.notCleanable",
} as const;

/** Formats "where", "where and when", "where, when and by whom". */
const formatList = (items: string[], locale: Locale): string =>
  new Intl.ListFormat(locale === "en" ? "en-GB" : locale).format(items);
