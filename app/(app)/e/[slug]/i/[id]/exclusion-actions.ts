"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { type FormState, isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { createExclusion, createRecusal, deleteExclusion } from "#lib/exclusions/operations.ts";
import { type FormResult, refreshPageAfterFormRefusal, submitFormToOperation } from "#lib/http/form.ts";
import { refreshOrRedirectToIncident, readPathParamsFromForm } from "./finish-form.ts";

/** Actions of the forms that exclude people from an incident. */

export async function excludePersonAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    createExclusion,
    readPathParamsFromForm(form),
    form,
    ({ userId, reason = "" }) => ({
      userId,
      reason,
    }),
  );
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("incidentPage");
  return refreshOrRedirectToIncident(form, { part: "exclusions", done: { text: t("exclusion.done") } });
}

/** Recuses the person, and redirects to the inbox, since they can no longer see the page. */
export async function recuseAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    createRecusal,
    readPathParamsFromForm(form),
    form,
    ({ reason = "" }) => ({
      reason,
    }),
  );
  if (sent.ok) {
    // Makes "Back" load the page from the service instead of the router's cache.
    revalidatePath("/", "layout");
    redirect("/inbox");
  }
  const refused = await refuse(sent);
  if (!refused.fieldErrors?.userId) return refused;
  const t = await getTranslator("incidentPage");
  return { ...refused, error: t("exclusion.lastReader"), fieldErrors: {} };
}

export async function liftExclusionAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteExclusion, readPathParamsFromForm(form), form, () => ({}));
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("incidentPage");
  return refreshOrRedirectToIncident(form, { part: "exclusions", done: { text: t("exclusion.lifted") } });
}

async function refuse({ code, state }: FormResult<unknown> & { ok: false }): Promise<FormState> {
  refreshPageAfterFormRefusal(code);
  if (!isFormSubmissionRejected(state) || !state.fieldErrors?.userId) return state;
  const t = await getTranslator("incidentPage");
  return { ...state, fieldErrors: { ...state.fieldErrors, userId: t("exclusion.choose") } };
}
