"use server";

import { redirect } from "next/navigation";
import { replaceMissingSlugError } from "#components/organization/slug-problem.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { slugify } from "#lib/design/slug.ts";
import { createOrganization } from "#lib/organizations/operations.ts";

/** Creates an organization; its page then shows the invite link for its first admin. */
export async function createOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const slug = String(form.get("slug") ?? "").trim() || slugify(String(form.get("name") ?? ""));
  const sent = await submitFormToOperation(createOrganization, {}, form, (values) => ({
    ...values,
    slug,
    joinAsAdmin: values.joinAsAdmin === "on",
  }));
  if (sent.ok) redirect(`/orgs/${sent.result.organization.slug}?after=created`);
  const t = await getTranslator("organization");
  const state = labelFieldErrors(
    { ...sent.state, values: { ...sent.state.values, slug } },
    {
      name: t("field.name"),
      slug: t("field.slug"),
      description: t("field.description"),
      website: t("field.website"),
    },
  );
  return replaceMissingSlugError(state, slug);
}
