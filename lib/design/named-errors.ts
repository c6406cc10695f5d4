import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import {
  labelFieldProblem,
  describeProblem,
  type ErrorTextKeyWithFieldProblems,
} from "#lib/i18n/problems.ts";
import type { FormState } from "./form-state.ts";

/**
 * Turns the field errors of a form into sentences: the schema says "must be at least 8 characters", and the form knows
 * that the field's label is "Password". Errors of fields without a label stay unchanged. If a field has an error, the
 * error of the form as a whole is removed.
 */
export function labelFieldErrors(state: FormState, labels: Record<string, string>): FormState {
  const problems = Object.entries(state.fieldErrors ?? {});
  if (problems.length === 0) return state;
  const locale = state.locale ?? DEFAULT_LOCALE;
  const named = problems.map(
    ([field, problem]) => [field, labelFieldProblem(locale, labels[field], problem)] as const,
  );
  return { ...state, error: undefined, fieldErrors: Object.fromEntries(named) };
}

/**
 * Returns the error about one field as a sentence, keyed by the field's name: "This short name is already taken.
 * An event already uses it; choose a different one." under `slug`. Undefined for an error about none of the form's
 * fields.
 */
export function describeErrorByField(
  error: ErrorTextKeyWithFieldProblems & { field?: string | undefined },
  fields: readonly string[],
  locale: Locale = DEFAULT_LOCALE,
): Record<string, string> | undefined {
  const { field } = error;
  if (field === undefined || !fields.includes(field)) return undefined;
  const { title, advice } = describeProblem(locale, error);
  return { [field]: `${title} ${advice.charAt(0).toUpperCase()}${advice.slice(1)}.` };
}
