import { wordsIn } from "./catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "./locales.ts";
import english from "./messages/en/errors.json" with { type: "json" };

/**
 * What was refused, in the reader's language. Errors speak English where they are thrown, and so do answers of the
 * API; the namespace `errors` holds each of their sentences, and finds the same one in another language by it.
 */

/** An error as it was thrown, or as the API answers it (interface 7). */
export type Problem = { message: string; details: string; fields?: Record<string, string> };

type ProblemWords = {
  /** What happened. */ title: string;
  /** What to do; blank where the title says it all. */ advice: string;
};

/** An error in words. What no translation is known of becomes a plain sentence, never English. */
export function problemWords(locale: Locale, { message, details, fields }: Problem): ProblemWords {
  const t = wordsIn(locale, "formErrors");
  const title = sentence(locale, message) ?? t("unknownError");
  if (details === message) return { title, advice: "" };
  const problems = fields && Object.values(fields).map((problem) => fieldProblem(locale, problem));
  const advice = problems ? problems.join("; ") : sentence(locale, details);
  return { title, advice: advice ?? t("unknownAdvice") };
}

/** As the API answers it, with the code by which a form knows what to do. */
type Answer = { code: string; message: string; details: string };

/**
 * The same error in another language, for forms that read its details themselves: fields stay named, as in
 * "title: is missing; description: is missing".
 */
export function translated(locale: Locale, { code, message, details }: Answer): Answer {
  if (locale === DEFAULT_LOCALE) return { code, message, details };
  const { title, advice } = problemWords(locale, { message, details });
  if (!/^\w+(\[\])?: /.test(details)) return { code, message: title, details: advice || title };
  const fields = details.split(/; (?=\w+(?:\[\])?: )/).map((part) => {
    const [, field = "", problem = ""] = /^(\w+(?:\[\])?): (.*)$/s.exec(part) ?? [];
    return `${field}: ${fieldProblem(locale, problem)}`;
  });
  return { code, message: title, details: fields.join("; ") };
}

/** What is wrong with a field, as it stands after the field's name: "must be at least 8 characters". */
export const fieldProblem = (locale: Locale, problem: string): string =>
  sentence(locale, problem) ?? wordsIn(locale, "formErrors")("unknownProblem");

/** What is wrong with a field as a sentence. What is one already, or whose field has no label, stays as it is. */
export function namedProblem(locale: Locale, label: string | undefined, problem: string): string {
  if (!label || /^\p{Lu}|[.。؟]$/u.test(problem)) return problem;
  return wordsIn(locale, "formErrors")("named", { label, problem });
}

type Values = Record<string, string | number>;
type Pattern = { key: keyof typeof english; shape: RegExp; names: string[] };

/** A sentence of an error in another language; undefined when the catalogue doesn't know it. */
function sentence(locale: Locale, said: string): string | undefined {
  if (locale === DEFAULT_LOCALE) return said;
  const plain = said.replaceAll("'", "’");
  for (const { key, shape, names } of PATTERNS) {
    const found = shape.exec(plain)?.slice(1);
    if (found) return wordsIn(locale, "errors")(key, valuesOf(locale, names, found));
  }
  return undefined;
}

/** Numbers count; what is one of our own words is translated as well: "This event", "submitted", "place, time". */
function valuesOf(locale: Locale, names: string[], found: string[]): Values {
  const translated = (value: string) => {
    if (/^\d{1,15}$/.test(value)) return Number(value);
    const parts = value.split(", ").map((part) => ({ part, known: sentence(locale, part) }));
    if (parts.some(({ known }) => known === undefined)) {
      const whole = sentence(locale, value);
      if (whole !== undefined) return whole;
    }
    return parts.map(({ part, known }) => known ?? part).join(", ");
  };
  return Object.fromEntries(names.map((name, at) => [name, translated(found[at] ?? "")]));
}

const literalLength = (message: string) => message.replace(/\{\w+\}/g, "").length;

/** Of two that fit, the one that says more itself. */
const PATTERNS: readonly Pattern[] = Object.entries(english)
  .toSorted(([, one], [, other]) => literalLength(other) - literalLength(one))
  .map(([key, message]) => ({
    key: key as keyof typeof english,
    names: [...message.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    shape: shapeOf(message),
  }));

function shapeOf(message: string): RegExp {
  const parts = message.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.+?)")}$`, "su");
}
