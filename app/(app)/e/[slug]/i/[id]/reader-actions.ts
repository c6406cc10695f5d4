"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { type FormState, isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { deleteReaderList, putIncidentReader, stepOut } from "#lib/readers/operations.ts";
import { type FormResult, refreshPageAfterFormRefusal, submitFormToOperation } from "#lib/http/form.ts";
import { refreshOrRedirectToIncident, readPathParamsFromForm } from "./finish-form.ts";

/** Actions of the forms that change who can read an incident. */

export async function hideAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    putIncidentReader,
    readPathParamsFromForm(form),
    form,
    ({ reason = "" }) => ({ access: "none", reason }),
  );
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("incidentPage");
  return refreshOrRedirectToIncident(form, { part: "readers", done: { text: t("readers.done") } });
}

/** Lets the person step out, and redirects to the inbox, since they can no longer see the page. */
export async function stepOutAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    stepOut,
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
  return { ...refused, error: t("readers.lastReader"), fieldErrors: {} };
}

export async function letInAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(putIncidentReader, readPathParamsFromForm(form), form, () => ({
    access: "full",
  }));
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("incidentPage");
  return refreshOrRedirectToIncident(form, { part: "readers", done: { text: t("readers.nowLetIn") } });
}

export async function endListAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteReaderList, readPathParamsFromForm(form), form);
  if (!sent.ok) return refuse(sent);
  const t = await getTranslator("incidentPage");
  return refreshOrRedirectToIncident(form, { part: "readers", done: { text: t("readers.listEnded") } });
}

async function refuse({ code, state }: FormResult<unknown> & { ok: false }): Promise<FormState> {
  refreshPageAfterFormRefusal(code);
  if (!isFormSubmissionRejected(state) || !state.fieldErrors?.userId) return state;
  const t = await getTranslator("incidentPage");
  return { ...state, fieldErrors: { ...state.fieldErrors, userId: t("readers.choose") } };
}
