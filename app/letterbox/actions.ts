"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { separateMailboxCodeErrorAdvice } from "#components/mailbox/code-error-advice.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import { confirmLetter, leaveLetterbox, openLetterbox } from "#lib/letterboxes/operations.ts";

const LETTERBOX_PATH = "/letterbox";

async function returnToLetterbox(sent: FormResult<unknown>, done: string): Promise<FormState> {
  if (sent.ok) redirect(`${LETTERBOX_PATH}${done}`);
  return labelErrors(sent.state);
}

async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("letterbox");
  return labelFieldErrors(state, { code: t("entered") });
}

export async function openLetterboxAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(openLetterbox, {}, form, ({ code, challenge, solution }) => ({
    code,
    ...(challenge && solution && { proof: { challenge, solution } }),
  }));
  return returnToLetterbox(sent.ok ? sent : { ...sent, state: separateMailboxCodeErrorAdvice(sent) }, "");
}

/** Confirms that the holder has read a letter. The URL stays the same, so the page is refreshed. */
export async function confirmLetterReadAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(confirmLetter, {}, form);
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true, message: (await getTranslator("letterbox"))("done.read") };
}

export async function leaveLetterboxAction(_: FormState, form: FormData): Promise<FormState> {
  return returnToLetterbox(await submitFormToOperation(leaveLetterbox, {}, form), "?done=left");
}
