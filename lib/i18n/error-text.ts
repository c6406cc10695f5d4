import { createTranslatorForLocale } from "./catalogue.ts";
import type { Locale } from "./locales.ts";
import errors from "#lib/i18n/messages/en/errors.ts";
import type errorTerms from "#lib/i18n/messages/en/errorTerms.ts";
import fieldProblems from "#lib/i18n/messages/en/fieldProblems.ts";

/**
 * Errors as keys with values. The namespace `errors` has the text of each in five languages: what happened under the
 * key, and what to do about it under `<key>.advice`. The API returns the English text.
 */

type Errors = typeof errors;
type FieldProblems = typeof fieldProblems;

export type ErrorKey = Exclude<keyof Errors, `${string}.advice`>;
export type ErrorTermKey = keyof typeof errorTerms;
type FieldProblemKey = Exclude<keyof FieldProblems, `${string}.inForm`>;

/** Something that an error names and that has a text in each language, such as "This event". */
export type ErrorTerm = { term: ErrorTermKey; values?: Record<string, string | number> };
type ErrorMessageValue = string | number | ErrorTerm | readonly (string | ErrorTerm)[];
export type ErrorMessageValues = Readonly<Record<string, ErrorMessageValue>>;

type PlaceholderOf<Text> = Text extends `${string}{${infer Placeholder}}${infer Rest}`
  ? ValueNameOf<Placeholder> | PlaceholderOf<Rest>
  : never;
/** The name of a placeholder's value, with or without plural forms after it. A plural form ("# seconds") has none. */
type ValueNameOf<Placeholder> = Placeholder extends `# ${string}`
  ? never
  : Placeholder extends `${infer Name},${string}`
    ? Name
    : Placeholder;
type AdviceOf<Key extends string> = `${Key}.advice` extends keyof Errors ? Errors[`${Key}.advice`] : "";

/** The values that the texts of an error need; none if they have no placeholder. */
export type ErrorValues<Key extends ErrorKey> = ValuesFor<PlaceholderOf<Errors[Key] | AdviceOf<Key>>>;
type FieldProblemValues<Key extends FieldProblemKey> = ValuesFor<PlaceholderOf<FieldProblems[Key]>>;
type ValuesFor<Name extends string> = [Name] extends [never]
  ? Record<string, never>
  : Readonly<Record<Name, ErrorMessageValue>>;

/** The key of an error's texts, with their values; the error's code is separate. */
export type ErrorTextKeyAndValues = { key: ErrorKey; values: ErrorMessageValues };

/** The key of the text about a problem with a field, with its values. */
export type FieldProblem = { key: FieldProblemKey; values: ErrorMessageValues };

type FieldProblemArguments<Key extends FieldProblemKey> =
  FieldProblemValues<Key> extends Record<string, never> ? [] : [values: FieldProblemValues<Key>];

export const createFieldProblem = <Key extends FieldProblemKey>(
  key: Key,
  ...[values]: FieldProblemArguments<Key>
): FieldProblem => ({ key, values: values ?? {} });

/**
 * A field problem as the message of a schema check, which can only be text; `parseFieldProblemFromIssueMessage` reads
 * it back.
 */
export const encodeFieldProblem = <Key extends FieldProblemKey>(
  key: Key,
  ...values: FieldProblemArguments<Key>
): string => JSON.stringify(createFieldProblem(key, ...values));

/** Reads the message of a schema check; undefined for a message that `encodeFieldProblem` didn't make. */
export const parseFieldProblemFromIssueMessage = (message: string): FieldProblem | undefined =>
  message.startsWith('{"key":') ? (JSON.parse(message) as FieldProblem) : undefined;

/**
 * Formats an error's title, which says what happened, and its advice, which says what to do. The advice is blank if the
 * title says it all.
 */
export function formatErrorTitleAndAdvice(
  locale: Locale,
  { key, values }: ErrorTextKeyAndValues,
): { title: string; advice: string } {
  const t = createTranslatorForLocale(locale, "errors");
  const texts = formatValues(locale, values);
  const adviceKey = `${key}.advice` as keyof Errors;
  return { title: t(key, texts), advice: adviceKey in errors ? t(adviceKey, texts) : "" };
}

export const formatFieldProblem = (locale: Locale, { key, values }: FieldProblem): string =>
  createTranslatorForLocale(locale, "fieldProblems")(key, formatValues(locale, values));

/** Formats a problem for the field of a form, which shows other fields by their labels and not by the API's names. */
export function formatFieldProblemInForm(locale: Locale, { key, values }: FieldProblem): string {
  const formKey = `${key}.inForm`;
  const textKey = formKey in fieldProblems ? (formKey as keyof FieldProblems) : key;
  return createTranslatorForLocale(locale, "fieldProblems")(textKey, formatValues(locale, values));
}

/** Converts a text to the API's English, which has straight apostrophes. */
export const straightenApostrophes = (text: string): string => text.replaceAll("’", "'");

function formatValues(locale: Locale, values: ErrorMessageValues): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, formatValue(locale, value)]),
  );
}

function formatValue(locale: Locale, value: ErrorMessageValue): string | number {
  if (typeof value !== "object") return value;
  if ("term" in value) return createTranslatorForLocale(locale, "errorTerms")(value.term, value.values);
  return value.map((one) => formatValue(locale, one)).join(locale === "ar" ? "، " : ", ");
}
