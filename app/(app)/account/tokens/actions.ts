"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { createToken, removeToken } from "#lib/own-account/operations.ts";
import { labelAccountFormErrors } from "#components/account/label-errors.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { ORGANIZATION_OPTION_VALUE_PREFIX } from "./organization-option.ts";

/** The field "Where" names an event, or an organization. */
const readPlace = (place: string) =>
  place.startsWith(ORGANIZATION_OPTION_VALUE_PREFIX)
    ? { organizationId: place.slice(ORGANIZATION_OPTION_VALUE_PREFIX.length) }
    : { eventId: place || null };

/** Creates an API token. The form's response is the only place that ever shows it. */
export async function createApiTokenAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    createToken,
    {},
    form,
    ({ name, scope, eventId, expiresInDays, currentPassword }) => ({
      currentPassword,
      name,
      scope,
      ...readPlace(eventId ?? ""),
      expiresInDays: expiresInDays ? Number(expiresInDays) : undefined,
    }),
  );
  if (!sent.ok) return labelAccountFormErrors(sent.state);
  revalidatePath("/account/tokens");
  return {
    ok: true,
    message: (await getTranslator("account"))("tokenMade"),
    values: { token: sent.result.token },
  };
}

/** Revokes a token. A token that is already gone is not an error. */
export async function revokeApiTokenAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(removeToken, { tokenId: String(form.get("tokenId") ?? "") }, form);
  if (!sent.ok && sent.code !== "NOT_FOUND") return sent.state;
  redirect("/account/tokens?after=removed");
}
