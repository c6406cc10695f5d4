import type { FormState } from "#lib/design/form-state.ts";
import type { FormResult } from "#lib/http/form.ts";
import { DEFAULT_LOCALE } from "#lib/i18n/locales.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

/**
 * Returns the form's state for refused words. If the words open nothing here, the advice is separate from the error:
 * `MailboxCodeNotFoundNotice` first says which other page the words may open.
 */
export function separateMailboxCodeErrorAdvice(refused: FormResult<unknown> & { ok: false }): FormState {
  const { code, refusal, state } = refused;
  if (code !== "NOT_FOUND") return state;
  const { title, advice } = describeProblem(state.locale ?? DEFAULT_LOCALE, refusal);
  return { ...state, error: title, advice };
}
