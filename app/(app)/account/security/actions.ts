"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  endOtherSessions,
  endSession,
  removeSecondFactor,
  renewRecoveryCodes,
} from "#lib/own-account/operations.ts";
import { labelAccountFormErrors } from "#components/account/label-errors.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";

/** Starts two-factor setup or, once there is a secret, turns it on with the first code. */
export async function setUpSecondFactorAction(_: FormState, form: FormData): Promise<FormState> {
  return form.has("secret") ? confirmFactor(form) : startFactorSetup(form);
}

async function startFactorSetup(form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(beginSecondFactor, {}, form);
  return sent.ok ? { ok: false, values: sent.result } : labelAccountFormErrors(sent.state);
}

async function confirmFactor(form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(confirmSecondFactor, {}, form);
  // No setup is pending anymore, so the secret on this page is obsolete.
  if (!sent.ok && sent.code === "CONFLICT") return { ...sent.state, values: undefined };
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  const { recoveryCodes } = sent.result;
  const message = (await getTranslator("account"))("factorTurnedOn");
  revalidatePath("/", "layout");
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function renewRecoveryCodesAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(renewRecoveryCodes, {}, form);
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  const { recoveryCodes } = sent.result;
  const message = (await getTranslator("account"))("codesMade");
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function removeSecondFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(removeSecondFactor, {}, form);
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  revalidatePath("/", "layout");
  redirect("/account/security?after=factor-off");
}

export async function changePasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changePassword, {}, form);
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  revalidatePath("/account/security");
  return { ok: true, message: (await getTranslator("account"))("passwordChanged") };
}

export async function revokeSessionAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    endSession,
    { sessionId: String(form.get("sessionId") ?? "") },
    form,
  );
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect("/account/security?after=session-ended#sessions");
}

export async function revokeOtherSessionsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(endOtherSessions, {}, form);
  if (!sent.ok) return sent.state;
  redirect("/account/security?after=others-ended#sessions");
}
