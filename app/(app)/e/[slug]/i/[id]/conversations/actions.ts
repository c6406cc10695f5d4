"use server";

import { refresh } from "next/cache";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import {
  closeConversation,
  createDecision,
  createConversationMessage,
  createConversation,
  createConversationWords,
} from "#lib/conversations/operations.ts";

const readPath = (form: FormData) => ({
  slug: String(form.get("slug")),
  incidentId: String(form.get("incidentId")),
  conversationId: String(form.get("conversationId") ?? ""),
});

/**
 * Creates a conversation. Its words are only in the form's state, since they are shown once; no URL and no later page has
 * them.
 */
export async function createConversationAction(_: FormState, form: FormData): Promise<FormState> {
  return showWords(await submitFormToOperation(createConversation, readPath(form), form));
}

/** Gives a conversation new words, which are shown in the same way. */
export async function renewWordsAction(_: FormState, form: FormData): Promise<FormState> {
  return showWords(await submitFormToOperation(createConversationWords, readPath(form), form));
}

async function showWords(sent: FormResult<{ words: string; link: string }>): Promise<FormState> {
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true, values: { words: sent.result.words, link: sent.result.link } };
}

export async function sendMessageToPartyAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(createConversationMessage, readPath(form), form));
}

export async function sendDecisionAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(createDecision, readPath(form), form));
}

export async function closeConversationAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(closeConversation, readPath(form), form));
}

async function finish(sent: FormResult<unknown>): Promise<FormState> {
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true };
}

async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("conversations");
  return labelFieldErrors(state, {
    party: t("party"),
    label: t("label"),
    body: t("body"),
    reported: t("reported"),
    finding: t("finding"),
    measure: t("measure"),
    measureEndsOn: t("measureEndsOn"),
    appeal: t("appealHow"),
  });
}
