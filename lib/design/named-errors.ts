import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { labelFieldProblem, describeProblem } from "#lib/i18n/problems.ts";
import type { FormState } from "./form-state.ts";

/**
 * A refused form whose problems are told as sentences: the schema says "must be at least 8 characters", the
 * form knows that the field is called "Password". Names without a label keep their problem as it is.
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
 * The problem of one field that an error is about, as a sentence under the field's name: of "This address is taken."
 * and "slug: another event has it" comes "This address is taken. Another event has it." Undefined where the error is
 * about none of the form's fields.
 */
export function extractFieldError(
  { message, details }: { message: string; details: string },
  fields: readonly string[],
  locale: Locale = DEFAULT_LOCALE,
): Record<string, string> | undefined {
  const [, field = "", problem = ""] = /^(\w+): (.+)$/s.exec(details) ?? [];
  if (!fields.includes(field)) return undefined;
  const { title, advice } = describeProblem(locale, { message, details: problem });
  return { [field]: `${title} ${advice.charAt(0).toUpperCase()}${advice.slice(1)}.` };
}
