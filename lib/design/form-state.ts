import type { Locale } from "#lib/i18n/locales.ts";

/**
 * The result of a form's server action. The initial state is just `{ ok: false }`: nothing has been submitted yet.
 * `values` are put back into the fields, so a rejected form loses no input.
 */
export type FormState = {
  ok: boolean;
  /** Shown after success if the page stays. */
  message?: string;
  /** The error of the form as a whole. */
  error?: string;
  /**
   * The advice on `error`, where the form shows a text of its own between the two; elsewhere `error` includes the
   * advice.
   */
  advice?: string;
  /** The error of each field, by field name. */
  fieldErrors?: Record<string, string>;
  /** Somebody else saved first: the form shows the current values next to the submitted ones. */
  conflict?: true;
  /**
   * The action that was done, shown outside the form if the form itself disappears; `undo` holds the fields that undo
   * it.
   */
  done?: { text: string; undo?: Record<string, string> };
  /** A path to open in another tab, so that nothing in this one is lost. */
  incidentPath?: string;
  /** The session is over: the form links to sign-in in another tab, so that nothing in this one is lost. */
  signedOut?: true;
  /** The language of the texts in this state. */
  locale?: Locale;
  /** The written text as the page will show it, as HTML that the service made. Nothing was saved. */
  preview?: string;
  /** The submitted values by field name; several values with the same name are joined by line breaks. */
  values?: Record<string, string>;
};

export const INITIAL_FORM_STATE: FormState = { ok: false };

/** Returns whether a form shows why the server refused it: in general, or at a field. */
export function isFormSubmissionRejected(state: FormState): boolean {
  return !state.ok && (state.error !== undefined || Object.keys(state.fieldErrors ?? {}).length > 0);
}

/**
 * Returns whether a name can be that of a field in a form of ours. Those of the framework, and names that somebody made
 * up, aren't put back into a refused form.
 */
export const isFieldName = (name: string): boolean => /^[A-Za-z][\w.[\]-]{0,99}$/.test(name);

/**
 * Collects the texts of a submitted form for `FormState.values`. Leaves out passwords, files and names that no field of
 * ours has.
 */
export function collectRestorableFormValues(form: FormData): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of form) {
    // Upload forms accept a repeated field only if its name ends in `[]`.
    const name = key.replace(/\[\]$/, "");
    if (typeof value !== "string" || !isFieldName(key) || /password/i.test(name)) continue;
    values[name] = name in values ? `${values[name]}\n${value}` : value;
  }
  return values;
}
