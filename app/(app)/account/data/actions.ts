"use server";

import { redirect } from "next/navigation";
import { deleteOwnAccount } from "#lib/accounts/own-operations.ts";
import { submit } from "#lib/api/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

const LABELS = { password: "This password", code: "The code" };

/** Deletes the account. The session is gone with it, so sign-in says that it is done. */
export async function deleteAccountAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(deleteOwnAccount, {}, form);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  redirect("/login?after=deleted");
}
