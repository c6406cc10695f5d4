"use server";

import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { changeAccount, resetSecondFactor } from "#lib/admin/operations.ts";
import { submitFormToOperation, readFormValues } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Grants or revokes the system role, or disables or enables the account: whichever the form asks for. */
export async function setSystemAdminOrDisabledAction(_: FormState, form: FormData): Promise<FormState> {
  const { userId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(changeAccount, { userId }, form, ({ systemAdmin, disabled }) => ({
    systemAdmin: parseBoolean(systemAdmin),
    disabled: parseBoolean(disabled),
  }));
  if (!sent.ok) return sent.state;
  redirect(`/system/users/${userId}?after=changed`);
}

export async function resetAccountSecondFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const { userId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(
    resetSecondFactor,
    { userId },
    form,
    ({ currentPassword, code }) => ({
      currentPassword,
      code,
    }),
  );
  const t = await getTranslator("account");
  if (!sent.ok) return labelFieldErrors(sent.state, { currentPassword: t("yourPassword"), code: t("code") });
  redirect(`/system/users/${userId}?after=factorReset`);
}

const parseBoolean = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";
