"use server";

import { refresh } from "next/cache";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import {
  closeLetterbox,
  createDecision,
  createLetter,
  createLetterbox,
  createLetterboxCode,
} from "#lib/letterboxes/operations.ts";

const readPath = (form: FormData) => ({
  slug: String(form.get("slug")),
  incidentId: String(form.get("incidentId")),
  letterboxId: String(form.get("letterboxId") ?? ""),
});

/**
 * Creates a letterbox. Its words are only in the form's state, since they are shown once; no URL and no later page has
 * them.
 */
export async function createLetterboxAction(_: FormState, form: FormData): Promise<FormState> {
  return showCode(await submitFormToOperation(createLetterbox, readPath(form), form));
}

/** Gives a letterbox new words, which are shown in the same way. */
export async function renewLetterboxCodeAction(_: FormState, form: FormData): Promise<FormState> {
  return showCode(await submitFormToOperation(createLetterboxCode, readPath(form), form));
}

async function showCode(sent: FormResult<{ code: string; link: string }>): Promise<FormState> {
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true, values: { code: sent.result.code, link: sent.result.link } };
}

export async function sendLetterAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(createLetter, readPath(form), form));
}

export async function sendDecisionAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(createDecision, readPath(form), form));
}

export async function closeLetterboxAction(_: FormState, form: FormData): Promise<FormState> {
  return finish(await submitFormToOperation(closeLetterbox, readPath(form), form));
}

async function finish(sent: FormResult<unknown>): Promise<FormState> {
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true };
}

async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("letterboxes");
  return labelFieldErrors(state, {
    kind: t("kind"),
    label: t("label"),
    body: t("body"),
    reported: t("reported"),
    finding: t("finding"),
    measure: t("measure"),
    measureEndsOn: t("measureEndsOn"),
    appeal: t("appealHow"),
  });
}
