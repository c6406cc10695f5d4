import { translatorFor } from "./catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "./locales.ts";
import english from "#lib/i18n/messages/en/errors.json" with { type: "json" };

/**
 * Errors in the reader's language. Errors are thrown in English, and the API returns them in English; the namespace
 * `errors` holds each of their sentences, and the English sentence is used to find its translation.
 */

/** An error as it was thrown, or as the API returns it (contract 3.3). */
export type Problem = { message: string; details: string; fields?: Record<string, string> };

type ProblemText = {
  /** What happened. */ title: string;
  /** What to do; blank if the title says it all. */ advice: string;
};

/**
 * Describes an error in the reader's language. A sentence without a translation becomes a generic one, never English.
 */
export function describeProblem(locale: Locale, { message, details, fields }: Problem): ProblemText {
  const t = translatorFor(locale, "formErrors");
  const title = translateSentence(locale, message) ?? t("unknownError");
  if (details === message) return { title, advice: "" };
  const problems = fields && Object.values(fields).map((problem) => translateFieldProblem(locale, problem));
  const advice = problems ? problems.join("; ") : translateSentence(locale, details);
  return { title, advice: advice ?? t("unknownAdvice") };
}

/** An error as the API returns it, with the code that tells a form what to do. */
type ErrorBody = { code: string; message: string; details: string };

/**
 * Translates an error for forms that parse its details: field names stay, as in "title: is missing; description: is
 * missing".
 */
export function translateProblem(locale: Locale, { code, message, details }: ErrorBody): ErrorBody {
  if (locale === DEFAULT_LOCALE) return { code, message, details };
  const { title, advice } = describeProblem(locale, { message, details });
  if (!/^\w+(\[\])?: /.test(details)) return { code, message: title, details: advice || title };
  const fields = details.split(/; (?=\w+(?:\[\])?: )/).map((part) => {
    const [, field = "", problem = ""] = /^(\w+(?:\[\])?): (.*)$/s.exec(part) ?? [];
    return `${field}: ${translateFieldProblem(locale, problem)}`;
  });
  return { code, message: title, details: fields.join("; ") };
}

/** Translates the problem of a field, which follows the field's name: "must be at least 8 characters". */
export const translateFieldProblem = (locale: Locale, problem: string): string =>
  translateSentence(locale, problem) ?? translatorFor(locale, "formErrors")("unknownProblem");

/**
 * Turns the problem of a field into a sentence. Returns it unchanged if it already is one, or if the field has no
 * label.
 */
export function labelFieldProblem(locale: Locale, label: string | undefined, problem: string): string {
  if (!label || /^\p{Lu}|[.。؟]$/u.test(problem)) return problem;
  return translatorFor(locale, "formErrors")("named", { label, problem });
}

type PlaceholderValues = Record<string, string | number>;
/** `parts`: the text between the values. */
type SentencePattern = { key: keyof typeof english; parts: string[]; names: string[] };

/** No error sentence is longer, including its values. */
const MAX_SENTENCE_LENGTH = 2_000;

/** Translates an error sentence; undefined if the catalog doesn't have it. */
function translateSentence(locale: Locale, englishText: string): string | undefined {
  if (locale === DEFAULT_LOCALE) return englishText;
  if (englishText.length > MAX_SENTENCE_LENGTH) return undefined;
  const plain = englishText.replaceAll("'", "’");
  for (const { key, parts, names } of SENTENCE_PATTERNS) {
    const placeholders = matchPlaceholders(parts, plain);
    if (placeholders && hasNumbersWhereNamed(names, placeholders))
      return translatorFor(locale, "errors")(key, translateValues(locale, names, placeholders));
  }
  return undefined;
}

/** Placeholders that stand for a number, so that "{min} to {max}" matches "10 to 70" and no other text with "to". */
const NUMBER_PLACEHOLDERS = new Set(["min", "max", "nr", "seconds"]);

const hasNumbersWhereNamed = (names: string[], placeholders: string[]): boolean =>
  names.every((name, at) => !NUMBER_PLACEHOLDERS.has(name) || /^\d+$/.test(placeholders[at] ?? ""));

/**
 * Converts numbers to numbers, so that plurals work, and translates values that are known terms: "This event",
 * "submitted", "place, time".
 */
function translateValues(locale: Locale, names: string[], placeholders: string[]): PlaceholderValues {
  const translateProblem = (value: string) => {
    if (/^\d{1,15}$/.test(value)) return Number(value);
    const parts = value.split(", ").map((part) => ({ part, known: translateSentence(locale, part) }));
    if (parts.some(({ known }) => known === undefined)) {
      const whole = translateSentence(locale, value);
      if (whole !== undefined) return whole;
    }
    return parts.map(({ part, known }) => known ?? part).join(", ");
  };
  return Object.fromEntries(names.map((name, at) => [name, translateProblem(placeholders[at] ?? "")]));
}

const literalLength = (message: string) => message.replace(/\{\w+\}/g, "").length;

/** Sorted so that, of two matching patterns, the one with more literal text wins. */
const SENTENCE_PATTERNS: readonly SentencePattern[] = Object.entries(english)
  .toSorted(([, one], [, other]) => literalLength(other) - literalLength(one))
  .map(([key, message]) => ({
    key: key as keyof typeof english,
    names: [...message.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    parts: message.split(/\{\w+\}/),
  }));

/**
 * Matches text that begins with the first part and ends with the last, and returns the values between the parts, each
 * as short as possible and never blank; undefined if it doesn't match. Takes linear time, whereas a regular expression
 * could take polynomial time whose degree is the number of gaps.
 */
function matchPlaceholders([first = "", ...others]: readonly string[], text: string): string[] | undefined {
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const next = isLast ? text.length - part.length : text.indexOf(part, at + 1);
    if (next <= at || (isLast && !text.endsWith(part))) return undefined;
    values.push(text.slice(at, next));
    at = next + part.length;
  }
  return at === text.length ? values : undefined;
}
