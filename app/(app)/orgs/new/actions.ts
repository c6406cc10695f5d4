"use server";

import { redirect } from "next/navigation";
import { submit } from "#lib/api/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { slugFrom } from "#lib/design/slug.ts";
import { createOrganization } from "#lib/organizations/operations.ts";

const LABELS = {
  name: "The name",
  slug: "The short name",
  description: "The description",
  website: "The website",
};

/** Creates an organization; its page then shows the invite link for its first admin. */
export async function createOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const slug = String(form.get("slug") ?? "").trim() || slugFrom(String(form.get("name") ?? ""));
  const sent = await submit(createOrganization, {}, form, (values) => ({ ...values, slug }));
  if (!sent.ok) return nameErrors({ ...sent.state, values: { ...sent.state.values, slug } }, LABELS);
  redirect(`/orgs/${sent.result.organization.slug}?after=created`);
}
