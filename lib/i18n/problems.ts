import { translatorFor } from "./catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "./locales.ts";
import english from "#lib/i18n/messages/en/errors.json" with { type: "json" };

/**
 * What was refused, in the reader's language. Errors speak English where they are thrown, and so do answers of the
 * API; the namespace `errors` holds each of their sentences, and finds the same one in another language by it.
 */

/** An error as it was thrown, or as the API answers it (contract 3.3). */
export type Problem = { message: string; details: string; fields?: Record<string, string> };

type ProblemText = {
  /** What happened. */ title: string;
  /** What to do; blank where the title says it all. */ advice: string;
};

/** An error in words. What no translation is known of becomes a plain sentence, never English. */
export function describeProblem(locale: Locale, { message, details, fields }: Problem): ProblemText {
  const t = translatorFor(locale, "formErrors");
  const title = translateSentence(locale, message) ?? t("unknownError");
  if (details === message) return { title, advice: "" };
  const problems = fields && Object.values(fields).map((problem) => translateFieldProblem(locale, problem));
  const advice = problems ? problems.join("; ") : translateSentence(locale, details);
  return { title, advice: advice ?? t("unknownAdvice") };
}

/** As the API answers it, with the code by which a form knows what to do. */
type ErrorBody = { code: string; message: string; details: string };

/**
 * The same error in another language, for forms that read its details themselves: fields stay named, as in
 * "title: is missing; description: is missing".
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

/** What is wrong with a field, as it stands after the field's name: "must be at least 8 characters". */
export const translateFieldProblem = (locale: Locale, problem: string): string =>
  translateSentence(locale, problem) ?? translatorFor(locale, "formErrors")("unknownProblem");

/** What is wrong with a field as a sentence. What is one already, or whose field has no label, stays as it is. */
export function labelFieldProblem(locale: Locale, label: string | undefined, problem: string): string {
  if (!label || /^\p{Lu}|[.。؟]$/u.test(problem)) return problem;
  return translatorFor(locale, "formErrors")("named", { label, problem });
}

type PlaceholderValues = Record<string, string | number>;
/** `parts`: what stands between the values. */
type SentencePattern = { key: keyof typeof english; parts: string[]; names: string[] };

/** No sentence of ours is longer, with all that may stand in it. */
const MAX_SENTENCE_LENGTH = 2_000;

/** A sentence of an error in another language; undefined when the catalogue doesn't know it. */
function translateSentence(locale: Locale, englishText: string): string | undefined {
  if (locale === DEFAULT_LOCALE) return englishText;
  if (englishText.length > MAX_SENTENCE_LENGTH) return undefined;
  const plain = englishText.replaceAll("'", "’");
  for (const { key, parts, names } of SENTENCE_PATTERNS) {
    const placeholders = matchPlaceholders(parts, plain);
    if (placeholders)
      return translatorFor(locale, "errors")(key, translateValues(locale, names, placeholders));
  }
  return undefined;
}

/** Numbers count; what is one of our own words is translated as well: "This event", "submitted", "place, time". */
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

/** Of two that fit, the one that says more itself. */
const SENTENCE_PATTERNS: readonly SentencePattern[] = Object.entries(english)
  .toSorted(([, one], [, other]) => literalLength(other) - literalLength(one))
  .map(([key, message]) => ({
    key: key as keyof typeof english,
    names: [...message.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    parts: message.split(/\{\w+\}/),
  }));

/**
 * What stands between the parts of a text that begins with the first one and ends with the last, each value as short as
 * it can be and never blank; undefined for another text. Takes as long as the text, where a regular expression of as
 * many gaps would take a power of it.
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
