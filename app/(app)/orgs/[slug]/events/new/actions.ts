"use server";

import { redirect } from "next/navigation";
import { parseEventDays } from "#components/event/event-form-values.ts";
import { replaceMissingSlugError } from "#components/organization/slug-problem.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { slugify } from "#lib/design/slug.ts";
import { createEvent } from "#lib/events/operations.ts";

/** Creates an event and redirects to its next steps. */
export async function createEventAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = String(form.get("organization") ?? "");
  const slug = String(form.get("slug") ?? "").trim() || slugify(String(form.get("name") ?? ""));
  const sent = await submitFormToOperation(createEvent, { orgSlug }, form, (values) => ({
    ...values,
    slug,
    ...parseEventDays(values),
  }));
  if (sent.ok) redirect(`/orgs/${orgSlug}/events/new?created=${sent.result.event.slug}`);
  const t = await getTranslator("organization");
  const { endDate, ...others } = sent.state.fieldErrors ?? {};
  const fieldErrors = endDate
    ? { ...others, endDate: endDate.replace("startDate", t("theFirstDay")) }
    : others;
  const state = labelFieldErrors(
    { ...sent.state, fieldErrors, values: { ...sent.state.values, slug } },
    {
      name: t("field.name"),
      slug: t("field.slug"),
      description: t("field.description"),
      startDate: t("field.startDate"),
      endDate: t("field.endDate"),
      timeZone: t("field.timeZone"),
      website: t("field.website"),
      contactEmail: t("field.contactEmail"),
    },
  );
  return replaceMissingSlugError(state, slug);
}
