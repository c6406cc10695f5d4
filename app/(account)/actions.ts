"use server";

import { redirect } from "next/navigation";
import {
  confirmEmail,
  forgotPassword,
  logIn,
  logOut,
  setNewPassword,
  verifyOwnEmail,
} from "#lib/accounts/operations.ts";
import { keepPassword, keptPassword } from "#lib/accounts/kept-password.ts";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import { sameSitePath } from "#lib/http/next-path.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { registerAccount } from "#lib/registration/operations.ts";

/** A refused form, each problem with the name of its field. */
async function named(state: FormState): Promise<FormState> {
  const t = await pageWords("signIn");
  return nameErrors(state, {
    email: t("label.email"),
    name: t("label.name"),
    password: t("label.password"),
    newPassword: t("label.newPassword"),
  });
}

/**
 * Signs in and goes on; without a page to go to, the sign-in page knows where this person starts. Where there is a
 * second factor, the form comes back to ask for its code, and keeps address and password meanwhile.
 */
export async function signInAction(_: FormState, form: FormData): Promise<FormState> {
  const email = String(form.get("email") ?? "");
  const password = passwordIn(form, email);
  if (password === null)
    return { ok: false, error: (await pageWords("signIn"))("tooLong"), values: { email } };
  const sent = await submit(logIn, {}, form, ({ code }) => ({ email, password, code }));
  if (sent.ok) redirect(sameSitePath(form.get("next")) ?? "/login");
  const values = { email, kept: keepPassword(email, password) };
  if (sent.code === "SECOND_FACTOR_NEEDED") return { ok: false, values };
  if (sent.code === "SECOND_FACTOR_INVALID") return { ...sent.state, values };
  return named(sent.state);
}

/** Typed, or kept from the step before; null when it was kept for too long. */
function passwordIn(form: FormData, email: string): string | null {
  const kept = form.get("kept");
  return typeof kept === "string" ? keptPassword(kept, email) : String(form.get("password") ?? "");
}

/** Registers, then signs in with the same words, so that nobody types them twice. */
export async function registerAction(_: FormState, form: FormData): Promise<FormState> {
  const next = sameSitePath(form.get("next"));
  const sent = await submit(registerAccount, {}, form);
  if (!sent.ok) return named(sent.state);
  const after = sent.result.madeSystemAdmin ? "first-account" : "register";
  const signedIn = await submit(logIn, {}, form);
  if (!signedIn.ok) redirect(`/login?after=${after}${next ? `&next=${encodeURIComponent(next)}` : ""}`);
  redirect(sent.result.madeSystemAdmin ? `/orgs?after=${after}` : (next ?? "/login"));
}

/** Ends the session. A session that is over already is no reason to complain. */
export async function signOutAction(form: FormData): Promise<void> {
  await submit(logOut, {}, form);
  redirect("/login?after=sign-out");
}

export async function forgotPasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(forgotPassword, {}, form);
  return sent.ok ? { ok: true, message: (await pageWords("signIn"))("forgot.done") } : named(sent.state);
}

export async function resetPasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(setNewPassword, {}, form);
  if (!sent.ok) return named(sent.state);
  redirect("/login?after=reset");
}

export async function verifyEmailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(verifyOwnEmail, {}, form);
  if (!sent.ok) return named(sent.state);
  redirect("/verify-email?after=confirmed");
}

export async function confirmEmailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(confirmEmail, {}, form);
  if (!sent.ok) return named(sent.state);
  redirect("/confirm-email?after=confirmed");
}
