/**
 * What a form's server action answers. The first state is `{ ok: false }` with nothing else: nobody has
 * sent anything yet. `values` are put back into the fields, so a refused form loses no words.
 */
export type FormState = {
  ok: boolean;
  /** Said after success, where the page stays. */
  message?: string;
  /** What is wrong with the whole form. */
  error?: string;
  /** What is wrong, by field name. */
  fieldErrors?: Record<string, string>;
  /** What was sent, by field name; several values of one name are joined by line breaks. */
  values?: Record<string, string>;
};

export const UNSENT: FormState = { ok: false };

/** True when the server refused what was sent. */
export function refused(state: FormState): boolean {
  return !state.ok && (state.error !== undefined || Object.keys(state.fieldErrors ?? {}).length > 0);
}

/**
 * The words of a sent form, to be handed back in `FormState.values`. Passwords, files and the framework's
 * own fields are left out.
 */
export function sentValues(form: FormData): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value !== "string" || name.startsWith("$ACTION") || /password/i.test(name)) continue;
    values[name] = name in values ? `${values[name]}\n${value}` : value;
  }
  return values;
}
