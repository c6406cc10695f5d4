"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { openIncidentInEmergency, postConflictAnswer, putReportedPerson } from "#lib/readers/operations.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { refreshPageAfterFormRefusal, submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import { refreshOrRedirectToIncident, readPathParamsFromForm } from "./finish-form.ts";

/** Forms of the conflict check. */

/**
 * Saves an answer to the conflict check. After a hard conflict the person can no longer see the page, so it redirects
 * to the inbox.
 */
export async function answerConflictCheckAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    postConflictAnswer,
    readPathParamsFromForm(form),
    form,
    ({ answer = "" }) => ({
      answer,
    }),
  );
  if (!sent.ok) return refuse(sent);
  if (form.get("answer") === "hard") {
    // Makes "Back" load the page from the service instead of the router's cache.
    revalidatePath("/", "layout");
    redirect("/inbox");
  }
  const t = await getTranslator("conflict");
  return refreshOrRedirectToIncident(form, { done: { text: t("changed") } });
}

export async function openInEmergencyAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    openIncidentInEmergency,
    readPathParamsFromForm(form),
    form,
    ({ reason = "" }) => ({
      reason,
    }),
  );
  return sent.ok ? refreshOrRedirectToIncident(form, {}) : refuse(sent);
}

export async function saveReportedPersonNameAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    putReportedPerson,
    readPathParamsFromForm(form),
    form,
    ({ name = "" }) => ({
      name,
    }),
  );
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("conflict");
  return refreshOrRedirectToIncident(form, { part: "readers", done: { text: t("name.saved") } });
}

async function refuse({ code, state }: FormResult<unknown> & { ok: false }): Promise<FormState> {
  refreshPageAfterFormRefusal(code);
  if (!state.fieldErrors?.userId) return state;
  const t = await getTranslator("conflict");
  return { ...state, error: t("lastReader"), fieldErrors: {} };
}
