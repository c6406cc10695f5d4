"use server";

import { refresh } from "next/cache";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { testMail, updateSettings } from "#lib/admin/operations.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Adds each field's label to the errors of a refused form. */
async function labelErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("system");
  return labelFieldErrors(state, {
    registration: t("registration"),
    name: t("serviceName"),
    supportContact: t("supportContact"),
    to: t("mailTestTo"),
  });
}

/** Saves the settings. An empty field restores the default. */
export async function saveSystemSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    updateSettings,
    {},
    form,
    ({ registration, name, supportContact }) => ({
      registration,
      name: name || null,
      supportContact: supportContact || null,
    }),
  );
  if (!sent.ok && sent.code === "CONFLICT") {
    refresh();
    return { ...sent.state, error: (await getTranslator("system"))("saveConflict"), conflict: true };
  }
  if (!sent.ok) return labelErrors(sent.state);
  refresh();
  return { ok: true, message: (await getTranslator("system"))("saved") };
}

/** Sends a test mail. A failure to send is a result too: it says what to check. */
export async function sendTestMailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(testMail, {}, form, ({ to }) => (to ? { to } : {}));
  if (!sent.ok) return labelErrors(sent.state);
  const { delivered, message, milliseconds } = sent.result;
  const text = (await getTranslator("system"))("mailTestDone", { message, milliseconds });
  return delivered ? { ok: true, message: text } : { ok: false, error: text };
}
