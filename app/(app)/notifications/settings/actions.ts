"use server";

import { revalidatePath } from "next/cache";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { loadPageData } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { changeNotificationSettings, showNotificationSettings } from "#lib/notifications/operations.ts";
import {
  NOTIFICATION_GROUP_BY_KIND,
  NOTIFICATION_KINDS,
  type NotificationSetting,
} from "#lib/notifications/schema.ts";

type FormValues = Record<string, string>;

/** Saves the choices of each kind. */
export const saveNotificationSettingsAction = async (_: FormState, form: FormData): Promise<FormState> =>
  saveSettings(form, parseNotificationSettings);

/** Saves the choices of a group for all of its kinds; a group whose choice is left at "Varies" keeps them. */
export async function saveNotificationGroupsAction(_: FormState, form: FormData): Promise<FormState> {
  const { settings } = await loadPageData(showNotificationSettings);
  const isChanged = settings.some((setting) =>
    hasOtherChoices(setting, Object.fromEntries(form) as FormValues),
  );
  if (!isChanged) return buildSavedState();
  return saveSettings(form, (values) => ({
    settings: settings
      .filter((setting) => hasOtherChoices(setting, values))
      .map((setting) => chooseForGroup(setting, values)),
  }));
}

async function saveSettings(
  form: FormData,
  parse: (values: FormValues) => { settings: unknown[] },
): Promise<FormState> {
  const sent = await submitFormToOperation(changeNotificationSettings, {}, form, parse);
  if (!sent.ok) return sent.state;
  revalidatePath("/notifications/settings");
  return buildSavedState();
}

const buildSavedState = async (): Promise<FormState> => ({
  ok: true,
  message: (await getTranslator("notifications"))("saved"),
});

/** An unchecked box isn't sent, so the kinds that the form showed are those with a mail choice. */
function parseNotificationSettings(values: FormValues) {
  const shownKinds = NOTIFICATION_KINDS.filter((kind) => values[`${kind}.mail`] !== undefined);
  const settings = shownKinds.map((kind) => ({
    kind,
    inApp: values[`${kind}.inApp`] === "on",
    mail: values[`${kind}.mail`],
  }));
  return { settings };
}

/** Returns the setting of a kind with what was chosen for its group. */
function chooseForGroup({ kind, inApp, mail }: NotificationSetting, values: FormValues) {
  const group = NOTIFICATION_GROUP_BY_KIND[kind];
  const listed = values[`${group}.inApp`];
  return { kind, inApp: listed ? listed === "on" : inApp, mail: values[`${group}.mail`] || mail };
}

function hasOtherChoices(setting: NotificationSetting, values: FormValues): boolean {
  const chosen = chooseForGroup(setting, values);
  return chosen.inApp !== setting.inApp || chosen.mail !== setting.mail;
}
