import type { FormState } from "./form-state.ts";

/**
 * A refused form whose problems are told as sentences: the schema says "must be at least 8 characters", the
 * form knows that the field is called "Password". Names without a label keep their problem as it is.
 */
export function nameErrors(state: FormState, labels: Record<string, string>): FormState {
  const problems = Object.entries(state.fieldErrors ?? {});
  if (problems.length === 0) return state;
  const named = problems.map(([field, problem]) => [field, sentence(labels[field], problem)] as const);
  return { ...state, error: undefined, fieldErrors: Object.fromEntries(named) };
}

const sentence = (label: string | undefined, problem: string): string =>
  label ? `${label} ${problem}.` : problem;
