import format, { type CompiledMessage } from "icu-minify/format";
import type { Locale } from "./locales.ts";

/** A message, compiled from its ICU form: see catalogue.ts. */
export type Compiled = CompiledMessage;

/** What a message names in braces; a function stands for a tag around words. */
export type Values<Rich = never> = Record<string, string | number | Date | Tag<Rich>>;
type Tag<Rich> = (words: (string | Rich)[]) => Rich;

/** The messages of one namespace, by key. */
export type Messages = Readonly<Record<string, Compiled>>;

const made = new Map<string, unknown>();

/** Intl's formatters are slow to make and are kept. */
function kept<Made>(kind: string, locale: unknown, options: unknown, make: () => Made): Made {
  const key = `${kind} ${String(locale)} ${JSON.stringify(options ?? null)}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Made;
}

const formatters = {
  getDateTimeFormat: (...of: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    kept("date", of[0], of[1], () => new Intl.DateTimeFormat(...of)),
  getNumberFormat: (...of: ConstructorParameters<typeof Intl.NumberFormat>) =>
    kept("number", of[0], of[1], () => new Intl.NumberFormat(...of)),
  getPluralRules: (...of: ConstructorParameters<typeof Intl.PluralRules>) =>
    kept("plural", of[0], of[1], () => new Intl.PluralRules(...of)),
};

/** Fills a message. Times are told in UTC. @throws Error when a value is missing */
export function fill(message: Compiled, locale: Locale, values?: Values): string {
  return String(format(message, locale, values as never, { formatters, timeZone: "UTC" }));
}

/** As `fill`, where the message has tags: what comes back is text and what the tags' functions made, in a row. */
export function fillRich<Rich>(message: Compiled, locale: Locale, values: Values<Rich>): (string | Rich)[] {
  return [format<Rich>(message, locale, values as never, { formatters, timeZone: "UTC" })].flat() as (
    string | Rich
  )[];
}
