"use server";

import { redirect } from "next/navigation";
import { confirmEmail, forgotPassword, logIn, resetPassword, verifyEmail } from "#lib/accounts/operations.ts";
import {
  sealPasswordBetweenSignInSteps,
  unsealPasswordBetweenSignInSteps,
} from "#lib/accounts/sealed-password.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { endDeviceHandOverAndSignOut } from "#lib/http/handed-over-device.ts";
import { parseNextPath } from "#lib/http/next-path.ts";
import { submitSignOutForm } from "#lib/http/sign-out-form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { registerAccount } from "#lib/invites/registration-operations.ts";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("signIn");
  return labelFieldErrors(state, {
    email: t("label.email"),
    name: t("label.name"),
    password: t("label.password"),
    newPassword: t("label.newPassword"),
  });
}

/**
 * Signs in and redirects to `next`; without one, the sign-in page picks the person's home. With two-factor sign-in, the
 * form comes back to ask for the code and carries the email and the sealed password in the meantime.
 */
export async function signInAction(_: FormState, form: FormData): Promise<FormState> {
  const email = String(form.get("email") ?? "");
  const password = readPassword(form, email);
  if (password === null)
    return { ok: false, error: (await getTranslator("signIn"))("tooLong"), values: { email } };
  const sent = await submitFormToOperation(logIn, {}, form, ({ code }) => ({ email, password, code }));
  if (sent.ok) {
    await endDeviceHandOverAndSignOut();
    redirect(parseNextPath(form.get("next")) ?? "/login");
  }
  const values = { email, sealedCredential: sealPasswordBetweenSignInSteps(email, password) };
  if (sent.code === "SECOND_FACTOR_NEEDED") return { ok: false, values };
  if (sent.code === "SECOND_FACTOR_INVALID") return { ...sent.state, values };
  return labelErrors(sent.state);
}

/**
 * Returns the typed password, or the sealed one from the previous step; null if the sealed one has expired.
 */
function readPassword(form: FormData, email: string): string | null {
  const sealedPassword = form.get("sealedCredential");
  return typeof sealedPassword === "string"
    ? unsealPasswordBetweenSignInSteps(sealedPassword, email)
    : String(form.get("password") ?? "");
}

/** Registers the account, then signs in with the same credentials so that nobody has to type them twice. */
export async function registerAndSignInAction(_: FormState, form: FormData): Promise<FormState> {
  const next = parseNextPath(form.get("next"));
  const sent = await submitFormToOperation(registerAccount, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  const after = sent.result.madeSystemAdmin ? "first-account" : "register";
  const signedIn = await submitFormToOperation(logIn, {}, form);
  if (!signedIn.ok) redirect(`/login?after=${after}${next ? `&next=${encodeURIComponent(next)}` : ""}`);
  redirect(sent.result.madeSystemAdmin ? `/orgs/new?after=${after}` : (next ?? "/login"));
}

/** Ends the session. A session that has already ended is not an error. */
export async function signOutAction(form: FormData): Promise<void> {
  await submitSignOutForm(form);
  redirect("/login?after=sign-out");
}

export async function forgotPasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(forgotPassword, {}, form);
  return sent.ok
    ? { ok: true, message: (await getTranslator("signIn"))("forgot.done") }
    : labelErrors(sent.state);
}

export async function resetPasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(resetPassword, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  redirect("/login?after=reset");
}

export async function verifyEmailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(verifyEmail, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  redirect("/verify-email?after=confirmed");
}

export async function confirmEmailChangeAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(confirmEmail, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  redirect("/confirm-email?after=confirmed");
}
