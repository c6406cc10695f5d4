"use server";

import { redirect } from "next/navigation";
import { labelSetupErrors, parseOrganizationSetup } from "#components/setup/setup-values.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { setUpOrganization } from "#lib/setup/operations.ts";

/** Sets up an organization with its event; the next page says that it is open, or has the link for its first admin. */
export async function setUpOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const locale = await getCurrentLocale();
  const sent = await submitFormToOperation(setUpOrganization, {}, form, (values) =>
    parseOrganizationSetup(values, locale),
  );
  if (!sent.ok) return labelSetupErrors(sent.state, sent.code);
  const { organization, event, inviteLink } = sent.result;
  redirect(
    inviteLink
      ? `/orgs/${organization.slug}?after=created`
      : `/orgs/${organization.slug}/events/new?created=${event.slug}`,
  );
}
