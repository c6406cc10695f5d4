"use server";

import { redirect } from "next/navigation";
import { deleteOwnAccount } from "#lib/own-account/operations.ts";
import { labelAccountFormErrors } from "#components/account/label-errors.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";

/** Deletes the account. The session goes with it, so the sign-in page shows the confirmation. */
export async function deleteAccountAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteOwnAccount, {}, form);
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  redirect("/login?after=deleted");
}
