"use server";

import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { showPublicEvent } from "#lib/events/operations.ts";
import { loadOptionalPageData } from "#lib/http/page.ts";
import { type FormState, collectRestorableFormValues } from "#lib/design/form-state.ts";

/** Redirects from an event's link, or the slug in it, to the event's page. */
export async function redirectToEventAction(_: FormState, form: FormData): Promise<FormState> {
  const eventInput = String(form.get("event") ?? "").trim();
  const slug = (/\/e\/([^/?#\s]+)/.exec(eventInput)?.[1] ?? eventInput).toLowerCase();
  const isSlug = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(slug);
  if (isSlug && (await loadOptionalPageData(showPublicEvent, { slug }))) redirect(`/e/${slug}`);
  const t = await getTranslator("visitor");
  const event = t(isSlug ? "noSuchEvent" : eventInput ? "notALink" : "pasteLink");
  return { ok: false, fieldErrors: { event }, values: collectRestorableFormValues(form) };
}
