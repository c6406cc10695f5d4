"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
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
  const t = await getTranslator("account");
  if (!sent.ok)
    return labelFieldErrors(sent.state, {
      currentPassword: t("label.password"),
      name: t("label.name"),
      scope: t("label.scope"),
      eventId: t("label.eventId"),
      expiresInDays: t("label.expiresInDays"),
    });
  revalidatePath(`/orgs/${orgSlug}/tokens`);
  return { ok: true, message: t("tokenMade"), values: { token: sent.result.token } };
}

/** Revokes a service token. A token that is already gone is not an error. */
export async function revokeServiceTokenAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const params = { orgSlug, tokenId: String(form.get("tokenId") ?? "") };
  const sent = await submitFormToOperation(revokeServiceToken, params, form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect(`/orgs/${orgSlug}/tokens?after=removed`);
}
