import { refresh } from "next/cache";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { type FormResult, readFormValues, refreshPageAfterFormRefusal } from "#lib/http/form.ts";

/** Functions that the forms of an incident's page share. */

export function readPathParamsFromForm(form: FormData): Record<string, string> {
  const { slug = "", incidentId = "", commentId = "", fileId = "", userId = "" } = readFormValues(form);
  return { slug, incidentId, commentId, fileId, userId };
}

type DoneOptions = { part?: string; message?: string; done?: NonNullable<FormState["done"]> };

/**
 * Ends a form's action. With script, the page stays and is refreshed. Without script, redirects to the page, because
 * reloading the response to a POST would submit the same text twice.
 */
export async function refreshOrRedirectToIncident(
  form: FormData,
  { part, message, done }: DoneOptions,
): Promise<FormState> {
  const { slug = "", incidentId = "" } = readPathParamsFromForm(form);
  if (!(await headers()).has("next-action"))
    redirect(
      `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(incidentId)}${part === undefined ? "" : `#${part}`}`,
    );
  refresh();
  return { ok: true, ...(message !== undefined && { message }), ...(done && { done }) };
}

/**
 * Ends a form's action after a refusal. A conflict then shows the current values next to what is still in the form, and the
 * next submit sends the version on screen.
 */
export async function finishRefusedChange(
  sent: Extract<FormResult<unknown>, { ok: false }>,
): Promise<FormState> {
  refreshPageAfterFormRefusal(sent.code);
  if (sent.code !== "CONFLICT") return sent.state;
  const t = await getTranslator("ownReport");
  return { ...sent.state, error: t("conflict"), fieldErrors: {}, conflict: true };
}
