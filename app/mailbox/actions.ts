"use server";

import { refresh } from "next/cache";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { CONFIRMATION_WORD_POSITIONS } from "#components/mailbox/receipt-list.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import {
  closeMailbox,
  confirmMailboxMessage,
  confirmMailboxReceipt,
  leaveMailbox,
  openMailbox,
  withdrawMailboxReport,
} from "#lib/conversations/operations.ts";

const MAILBOX_PATH = "/mailbox";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("mailbox");
  const positionLabels = CONFIRMATION_WORD_POSITIONS.map(
    (place) => [`word${place}`, t("wordOf", { place })] as const,
  );
  return labelFieldErrors(state, { words: t("entered"), ...Object.fromEntries(positionLabels) });
}

async function returnToMailbox(sent: FormResult<unknown>, done: string): Promise<FormState> {
  if (!sent.ok) return buildRefusedState(sent);
  redirect(`${MAILBOX_PATH}${done}`);
}

/**
 * Returns the state of a refused form. Without script, the page shows no form once no mailbox is open on this device,
 * so it redirects to a URL that says why.
 */
async function buildRefusedState(sent: FormResult<unknown> & { ok: false }): Promise<FormState> {
  const { code, state, otherOpened } = sent;
  if (code === "UNAUTHENTICATED" && !(await headers()).has("next-action"))
    redirect(`${MAILBOX_PATH}?done=${otherOpened ? "other" : "left"}`);
  return labelErrors(state);
}

export async function openMailboxAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(openMailbox, {}, form, ({ words, challenge, solution }) => ({
    words,
    ...(challenge && solution && { proof: { challenge, solution } }),
  }));
  return returnToMailbox(sent, "");
}

export async function confirmReceiptSavedAction(_: FormState, form: FormData): Promise<FormState> {
  return endReceiptDisplay(form, { doneAt: MAILBOX_PATH, missing: "keepFirst" });
}

/** Ends the display of the receipt on a team member's device, once the reporter has typed two of its words. */
export async function confirmReceiptHandoverAction(_: FormState, form: FormData): Promise<FormState> {
  return endReceiptDisplay(form, {
    doneAt: `${MAILBOX_PATH}?done=handedOver`,
    missing: "handOver.enterFirst",
  });
}

type Confirmation = { doneAt: string; missing: "keepFirst" | "handOver.enterFirst" };

/** Confirms the receipt. The fields are named after the position of their word: `word2`. */
async function endReceiptDisplay(form: FormData, { doneAt, missing }: Confirmation): Promise<FormState> {
  const sent = await submitFormToOperation(confirmMailboxReceipt, {}, form, (values) => ({
    entered: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        /^word[1-7]$/.test(name) && value.trim() ? [[name.slice(4), value]] : [],
      ),
    ),
  }));
  if (sent.ok) redirect(doneAt);
  const { receipt, ...fieldErrors } = sent.state.fieldErrors ?? {};
  if (receipt === undefined) return buildRefusedState(sent);
  const t = await getTranslator("mailbox");
  return { ...sent.state, error: t(missing), fieldErrors };
}

export async function withdrawMailboxReportAction(_: FormState, form: FormData): Promise<FormState> {
  return returnToMailbox(await submitFormToOperation(withdrawMailboxReport, {}, form), "?done=withdrawn");
}

export async function closeMailboxAction(_: FormState, form: FormData): Promise<FormState> {
  return returnToMailbox(await submitFormToOperation(closeMailbox, {}, form), "?done=closed");
}

export async function leaveMailboxAction(_: FormState, form: FormData): Promise<FormState> {
  return returnToMailbox(await submitFormToOperation(leaveMailbox, {}, form), "?done=left");
}

/** Confirms that the person has read a message. The URL stays the same, so the page is refreshed. */
export async function confirmMessageReadAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(confirmMailboxMessage, {}, form);
  if (!sent.ok) return buildRefusedState(sent);
  refresh();
  return { ok: true, message: (await getTranslator("otherMailbox"))("done.read") };
}
