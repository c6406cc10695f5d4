"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { removeAvatar } from "#lib/accounts/avatar.ts";
import { changeProfile } from "#lib/accounts/own-operations.ts";
import { submit } from "#lib/api/form.ts";
import { mustBeSignedIn } from "#lib/api/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

const LABELS = { name: "The name", email: "The address", currentPassword: "The password" };

export async function changeNameAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeProfile, {}, form, ({ name }) => ({ name: name ?? "" }));
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  revalidatePath("/", "layout");
  return { ok: true, message: "Your name is changed." };
}

/** Asks for another address; the page then says what is waiting. */
export async function changeEmailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeProfile, {}, form, ({ email, currentPassword }) => ({
    email: email ?? "",
    currentPassword,
  }));
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  redirect(sent.result.account.emailChange ? "/account?after=email-asked" : "/account?after=email-same");
}

/** The present address, given again, takes back the change that waits. */
export async function keepEmailAction(_: FormState, form: FormData): Promise<FormState> {
  const { email } = await mustBeSignedIn();
  const sent = await submit(changeProfile, {}, form, () => ({ email }));
  if (!sent.ok) return sent.state;
  redirect("/account?after=email-kept");
}

export async function removeAvatarAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeAvatar, {}, form);
  if (!sent.ok) return sent.state;
  revalidatePath("/", "layout");
  redirect("/account?avatar=removed#picture");
}
