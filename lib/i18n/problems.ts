import { createTranslatorForLocale } from "./catalogue.ts";
import {
  formatErrorTitleAndAdvice,
  formatFieldProblem,
  type ErrorTextKeyAndValues,
  type FieldProblem,
} from "./error-text.ts";
import type { Locale } from "./locales.ts";

/** Errors in the reader's language. */

/** An error as it was thrown, without its code. */
export type ErrorTextKeyWithFieldProblems = ErrorTextKeyAndValues & {
  fields?: Readonly<Record<string, FieldProblem>>;
};

type ProblemText = {
  /** Text that says what happened. */ title: string;
  /** Text that says what to do; blank if the title says it all. */ advice: string;
};

/** Describes an error in the reader's language. The advice of invalid input is what is wrong with its fields. */
export function describeProblem(locale: Locale, problem: ErrorTextKeyWithFieldProblems): ProblemText {
  const { title, advice } = formatErrorTitleAndAdvice(locale, problem);
  if (!problem.fields) return { title, advice };
  const fieldTexts = Object.values(problem.fields).map((one) => formatFieldProblem(locale, one));
  return { title, advice: fieldTexts.join("; ") };
}

/** Turns the problem of a field into a sentence. Returns it unchanged if the field has no label. */
export function labelFieldProblem(locale: Locale, label: string | undefined, problem: string): string {
  if (!label || /^\p{Lu}|[.。؟]$/u.test(problem)) return problem;
  return createTranslatorForLocale(locale, "formErrors")("named", { label, problem });
}
