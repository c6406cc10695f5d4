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
} from "#lib/own-account/operations.ts";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

/** A refused form, each problem with the name of its field. */
async function named(state: FormState): Promise<FormState> {
  const t = await pageWords("account");
  return nameErrors(state, {
    code: t("label.code"),
    password: t("label.password"),
    currentPassword: t("label.password"),
    newPassword: t("label.newPassword"),
  });
}

/** Begins to set a second factor up, or, once there is a secret, turns it on with the first code. */
export async function setUpFactorAction(_: FormState, form: FormData): Promise<FormState> {
  return form.has("secret") ? confirmFactor(form) : beginFactor(form);
}

async function beginFactor(form: FormData): Promise<FormState> {
  const sent = await submit(beginSecondFactor, {}, form);
  return sent.ok ? { ok: false, values: sent.result } : named(sent.state);
}

async function confirmFactor(form: FormData): Promise<FormState> {
  const sent = await submit(confirmSecondFactor, {}, form);
  // Nothing waits any more: the secret on this page is no longer the one.
  if (!sent.ok && sent.code === "CONFLICT") return { ...sent.state, values: undefined };
  if (!sent.ok) return named(sent.state);
  const { recoveryCodes } = sent.result;
  const message = (await pageWords("account"))("factorTurnedOn");
  revalidatePath("/", "layout");
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function renewCodesAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(renewRecoveryCodes, {}, form);
  if (!sent.ok) return named(sent.state);
  const { recoveryCodes } = sent.result;
  const message = (await pageWords("account"))("codesMade");
  return { ok: true, message, values: { recoveryCodes: recoveryCodes.join("\n") } };
}

export async function removeFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeSecondFactor, {}, form);
  if (!sent.ok) return named(sent.state);
  revalidatePath("/", "layout");
  redirect("/account/security?after=factor-off");
}

export async function changePasswordAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changePassword, {}, form);
  if (!sent.ok) return named(sent.state);
  revalidatePath("/account/security");
  return { ok: true, message: (await pageWords("account"))("passwordChanged") };
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
