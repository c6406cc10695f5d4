"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { createToken, removeToken } from "#lib/own-account/operations.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { ORGANIZATION_OPTION_VALUE_PREFIX } from "./organization-option.ts";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("account");
  return labelFieldErrors(state, {
    currentPassword: t("label.password"),
    name: t("label.name"),
    scope: t("label.scope"),
    eventId: t("label.eventId"),
    expiresInDays: t("label.expiresInDays"),
  });
}

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
  if (!sent.ok) return labelErrors(sent.state);
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
