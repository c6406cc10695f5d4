"use server";

import { redirect } from "next/navigation";
import { type FormState, sentValues } from "#lib/design/form-state.ts";

/**
 * Leads from an event's link, or from the short name in it, to the event's page. Nothing is looked up here:
 * whether there is such an event, its page says.
 */
export async function openEventAction(_: FormState, form: FormData): Promise<FormState> {
  const given = String(form.get("event") ?? "").trim();
  const slug = (/\/e\/([^/?#\s]+)/.exec(given)?.[1] ?? given).toLowerCase();
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(slug)) redirect(`/e/${slug}`);
  const event = given
    ? "This isn't the link of an event. It looks like …/e/harbour-conf."
    : "Paste the link of the event.";
  return { ok: false, fieldErrors: { event }, values: sentValues(form) };
}
