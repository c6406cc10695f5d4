import format, { type CompiledMessage } from "icu-minify/format";
import type { Locale } from "./locales.ts";

/** A message compiled from its ICU form; see catalogue.ts. */
export type CompiledIcuMessage = CompiledMessage;

/** The values of a message's arguments; a function renders a tag. */
export type MessageValues<Rich = never> = Record<string, string | number | Date | TagRenderer<Rich>>;
type TagRenderer<Rich> = (chunks: (string | Rich)[]) => Rich;

/** The messages of one namespace, by key. */
export type CompiledNamespaceMessages = Readonly<Record<string, CompiledIcuMessage>>;

const formatterCache = new Map<string, unknown>();

/** Intl formatters are slow to create, so they are cached. */
function getFormatter<Formatter>(
  kind: string,
  locale: unknown,
  options: unknown,
  make: () => Formatter,
): Formatter {
  const key = `${kind} ${String(locale)} ${JSON.stringify(options ?? null)}`;
  if (!formatterCache.has(key)) formatterCache.set(key, make());
  return formatterCache.get(key) as Formatter;
}

const formatters = {
  getDateTimeFormat: (...of: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    getFormatter("date", of[0], of[1], () => new Intl.DateTimeFormat(...of)),
  getNumberFormat: (...of: ConstructorParameters<typeof Intl.NumberFormat>) =>
    getFormatter("number", of[0], of[1], () => new Intl.NumberFormat(...of)),
  getPluralRules: (...of: ConstructorParameters<typeof Intl.PluralRules>) =>
    getFormatter("plural", of[0], of[1], () => new Intl.PluralRules(...of)),
};

/** Formats a message. Times are in UTC. @throws Error when a value is missing */
export function formatMessage(message: CompiledIcuMessage, locale: Locale, values?: MessageValues): string {
  return String(format(message, locale, values as never, { formatters, timeZone: "UTC" }));
}

/** Like `formatMessage`, for messages with tags. Returns text and the results of the tags' functions, in order. */
export function formatRichMessage<Rich>(
  message: CompiledIcuMessage,
  locale: Locale,
  values: MessageValues<Rich>,
): (string | Rich)[] {
  return [format<Rich>(message, locale, values as never, { formatters, timeZone: "UTC" })].flat() as (
    | string
    | Rich
  )[];
}
