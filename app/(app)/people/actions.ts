"use server";

import { getTranslator } from "#components/i18n/request-translator.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { readFormValues, submitFormToOperation } from "#lib/http/form.ts";
import { showPersonNames } from "#lib/people/operations.ts";

/** Shows the names of a person this once: neither the page's address nor another page has them. */
export async function showNameAction(_: FormState, form: FormData): Promise<FormState> {
  const { personId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(showPersonNames, { personId }, form, () => ({}));
  if (!sent.ok) return sent.state;
  const { names } = sent.result;
  const t = await getTranslator("people");
  const message = t("names", { count: names.length, names: names.map(isolateBidi).join(", ") });
  return { ok: true, message };
}
