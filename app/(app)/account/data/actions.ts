"use server";

import { redirect } from "next/navigation";
import { deleteOwnAccount } from "#lib/own-account/operations.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("account");
  return labelFieldErrors(state, {
    currentPassword: t("label.password"),
    code: t("label.code"),
  });
}

/** Deletes the account. The session goes with it, so the sign-in page shows the confirmation. */
export async function deleteAccountAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteOwnAccount, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  redirect("/login?after=deleted");
}
