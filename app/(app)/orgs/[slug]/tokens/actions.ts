"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { labelAccountFormErrors } from "#components/account/label-errors.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { createServiceToken, revokeServiceToken } from "#lib/organizations/operations.ts";

const readOrganizationSlug = (form: FormData) => String(form.get("organization") ?? "");

/** Creates a service token. The form's response is the only place that ever shows it. */
export async function createServiceTokenAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(
    createServiceToken,
    { orgSlug },
    form,
    ({ currentPassword, name, scope, eventId, expiresInDays }) => ({
      currentPassword,
      name,
      scope,
      eventId: eventId || null,
      expiresInDays: expiresInDays ? Number(expiresInDays) : undefined,
    }),
  );
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  revalidatePath(`/orgs/${orgSlug}/tokens`);
  return {
    ok: true,
    message: (await getTranslator("account"))("tokenMade"),
    values: { token: sent.result.token },
  };
}

/** Revokes a service token. A token that is already gone is not an error. */
export async function revokeServiceTokenAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const params = { orgSlug, tokenId: String(form.get("tokenId") ?? "") };
  const sent = await submitFormToOperation(revokeServiceToken, params, form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect(`/orgs/${orgSlug}/tokens?after=removed`);
}
