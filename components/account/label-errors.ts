import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Adds each field's label to the errors of a refused form about sign-in, tokens or the account itself. */
export async function labelAccountFormErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("account");
  return labelFieldErrors(state, {
    currentPassword: t("label.password"),
    newPassword: t("label.newPassword"),
    code: t("label.code"),
    name: t("label.name"),
    scope: t("label.scope"),
    eventId: t("label.eventId"),
    expiresInDays: t("label.expiresInDays"),
  });
}
