"use server";

import { revalidatePath } from "next/cache";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { changeNotificationSettings } from "#lib/notifications/operations.ts";
import { NOTIFICATION_KINDS } from "#lib/notifications/schema.ts";

export async function saveNotificationSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeNotificationSettings, {}, form, parseNotificationSettings);
  if (!sent.ok) return sent.state;
  revalidatePath("/notifications/settings");
  return { ok: true, message: (await getTranslator("notifications"))("saved") };
}

/** An unchecked box isn't sent, so the kinds that the form showed are those with a mail choice. */
function parseNotificationSettings(values: Record<string, string>) {
  const shownKinds = NOTIFICATION_KINDS.filter((kind) => values[`${kind}.mail`] !== undefined);
  const settings = shownKinds.map((kind) => ({
    kind,
    inApp: values[`${kind}.inApp`] === "on",
    mail: values[`${kind}.mail`],
  }));
  return { settings };
}
