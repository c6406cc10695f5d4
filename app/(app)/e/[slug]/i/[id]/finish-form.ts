import { refresh } from "next/cache";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { FormState } from "#lib/design/form-state.ts";
import { readFormValues } from "#lib/http/form.ts";

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
