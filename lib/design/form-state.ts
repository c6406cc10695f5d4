import type { Locale } from "#lib/i18n/locales.ts";

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
  /** Somebody else was faster: the form shows what is there now beside what was sent. */
  conflict?: true;
  /** What was done, said beside the page where the form itself goes; `undo` is what takes it back. */
  done?: { words: string; undo?: Record<string, string> };
  /** The address of what to look at, in another tab, so that nothing in this one is lost. */
  look?: string;
  /** The session is over: the form leads to sign-in in another tab, so that nothing in this one is lost. */
  signedOut?: true;
  /** The language of its words. */
  locale?: Locale;
  /** What was written, as the page will show it: HTML of our own making. Nothing was saved. */
  preview?: string;
  /** What was sent, by field name; several values of one name are joined by line breaks. */
  values?: Record<string, string>;
};

export const INITIAL_FORM_STATE: FormState = { ok: false };

/** True when the server refused what was sent. */
export function isRefused(state: FormState): boolean {
  return !state.ok && (state.error !== undefined || Object.keys(state.fieldErrors ?? {}).length > 0);
}

/**
 * The words of a sent form, to be handed back in `FormState.values`. Passwords, files and the framework's
 * own fields are left out.
 */
export function collectFormValues(form: FormData): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value !== "string" || name.startsWith("$ACTION") || /password/i.test(name)) continue;
    values[name] = name in values ? `${values[name]}\n${value}` : value;
  }
  return values;
}
