"use server";

import { revalidatePath } from "next/cache";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { changeNotificationSettings } from "#lib/notifications/operations.ts";
import { KINDS } from "#lib/notifications/schema.ts";

export async function saveSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeNotificationSettings, {}, form, settingsIn);
  if (!sent.ok) return sent.state;
  revalidatePath("/notifications/settings");
  return { ok: true, message: (await pageWords("notifications"))("saved") };
}

/** A box that isn't ticked is not sent, so the kinds that the form asked about are those with a choice of mail. */
function settingsIn(values: Record<string, string>) {
  const asked = KINDS.filter((kind) => values[`${kind}.mail`] !== undefined);
  const settings = asked.map((kind) => ({
    kind,
    inApp: values[`${kind}.inApp`] === "on",
    mail: values[`${kind}.mail`],
  }));
  return { settings };
}
