"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { removeAvatar } from "#lib/own-account/operations.ts";
import { changeProfile, resendVerification } from "#lib/own-account/operations.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { getActorOrRedirectToSignIn } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("account");
  return labelFieldErrors(state, {
    name: t("label.name"),
    email: t("label.email"),
    currentPassword: t("label.currentPassword"),
    timeZone: t("zone"),
  });
}

export async function changeNameAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeProfile, {}, form, ({ name }) => ({ name: name ?? "" }));
  if (!sent.ok) return labelErrors(sent.state);
  revalidatePath("/", "layout");
  return { ok: true, message: (await getTranslator("account"))("nameSaved") };
}

/** Saves the language, which applies from the next page on. A blank choice leaves it to the browser. */
export async function changeLanguageAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeProfile, {}, form, ({ locale }) => ({
    locale: locale || null,
  }));
  if (!sent.ok) return sent.state;
  revalidatePath("/", "layout");
  redirect("/account?after=language");
}

/** Saves the time zone. A blank zone means that each event's own zone applies. */
export async function changeTimeZoneAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeProfile, {}, form, ({ timeZone }) => ({
    timeZone: timeZone || null,
  }));
  if (!sent.ok) return labelErrors(sent.state);
  revalidatePath("/", "layout");
  redirect("/account?after=zone");
}

/** Requests a change of email; the page then shows the pending address. */
export async function requestEmailChangeAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeProfile, {}, form, ({ email, currentPassword }) => ({
    email: email ?? "",
    currentPassword,
  }));
  if (!sent.ok) return labelErrors(sent.state);
  redirect(sent.result.account.emailChange ? "/account?after=email-requested" : "/account?after=email-same");
}

/** Cancels a pending email change by submitting the current address again. */
export async function cancelEmailChangeAction(_: FormState, form: FormData): Promise<FormState> {
  const { email } = await getActorOrRedirectToSignIn();
  const sent = await submitFormToOperation(changeProfile, {}, form, () => ({ email }));
  if (!sent.ok) return sent.state;
  redirect("/account?after=email-unchanged");
}

/** Mails another link that verifies the current address. */
export async function resendVerificationAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(resendVerification, {}, form);
  if (!sent.ok) return sent.state;
  redirect("/account?after=email-link");
}

export async function removeAvatarAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(removeAvatar, {}, form);
  if (!sent.ok) return sent.state;
  revalidatePath("/", "layout");
  redirect("/account?avatar=removed#picture");
}
