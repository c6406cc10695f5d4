"use server";

import { redirect } from "next/navigation";
import { labelEventFormErrors } from "#components/event/event-form-errors.ts";
import { parseEventDays } from "#components/event/event-form-values.ts";
import { replaceMissingSlugError } from "#components/organization/slug-problem.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { slugify } from "#lib/design/slug.ts";
import { createEvent } from "#lib/events/operations.ts";

/** Creates an event and redirects to its next steps. */
export async function createEventAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = String(form.get("organization") ?? "");
  const slug = String(form.get("slug") ?? "").trim() || slugify(String(form.get("name") ?? ""));
  const sent = await submitFormToOperation(createEvent, { orgSlug }, form, ({ hideTeam, ...event }) => ({
    ...event,
    slug,
    ...parseEventDays(event),
    showTeam: hideTeam !== "true",
  }));
  if (sent.ok) redirect(`/orgs/${orgSlug}/events/new?created=${sent.result.event.slug}`);
  const state = await labelEventFormErrors({ ...sent.state, values: { ...sent.state.values, slug } });
  return replaceMissingSlugError(state, slug);
}
