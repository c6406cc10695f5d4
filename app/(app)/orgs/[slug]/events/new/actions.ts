"use server";

import { redirect } from "next/navigation";
import { labelSetupErrors, parseEventSetup } from "#components/setup/setup-values.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { setUpEvent } from "#lib/setup/operations.ts";

/** Sets up an event, afresh or as a copy; the next page says that it is open. */
export async function setUpEventAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = String(form.get("organization") ?? "");
  const locale = await getCurrentLocale();
  const sent = await submitFormToOperation(setUpEvent, { orgSlug }, form, (values) =>
    parseEventSetup(values, locale),
  );
  if (!sent.ok) return labelSetupErrors(sent.state, sent.code);
  redirect(`/orgs/${orgSlug}/events/new?created=${sent.result.event.slug}`);
}
