"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  endOtherSessions,
  endOwnSession,
  removeSecondFactor,
  renewRecoveryCodes,
} from "#lib/accounts/own-operations.ts";
import { submit } from "#lib/api/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

const LABELS = {
  code: "The code",
  password: "This password",
  currentPassword: "This password",
  newPassword: "The new password",
};

/** Begins to set a second factor up, or, once there is a secret, turns it on with the first code. */
export async function setUpFactorAction(_: FormState, form: FormData): Promise<FormState> {
  return form.has("secret") ? confirmFactor(form) : beginFactor(form);
}

async function beginFactor(form: FormData): Promise<FormState> {
  const sent = await submit(beginSecondFactor, {}, form);
  return sent.ok ? { ok: false, values: sent.result } : sent.state;
}

async function confirmFactor(form: FormData): Promise<FormState> {
  const sent = await submit(confirmSecondFactor, {}, form);
  // Nothing waits any more: the secret on this page is no longer the one.
  if (!sent.ok && sent.code === "CONFLICT") return { ...sent.state, values: undefined };
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  const { message, recoveryCodes } = sent.result;
  revalidatePath("/", "layout");
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function renewCodesAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(renewRecoveryCodes, {}, form);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  const { message, recoveryCodes } = sent.result;
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function removeFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeSecondFactor, {}, form);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  revalidatePath("/", "layout");
  redirect("/account/security?after=factor-off");
}

export async function changePasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changePassword, {}, form);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  revalidatePath("/account/security");
  return { ok: true, message: sent.result.message };
}

export async function endSessionAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(endOwnSession, { sessionId: String(form.get("sessionId") ?? "") }, form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect("/account/security?after=session-ended#sessions");
}

export async function endOtherSessionsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(endOtherSessions, {}, form);
  if (!sent.ok) return sent.state;
  redirect("/account/security?after=others-ended#sessions");
}
