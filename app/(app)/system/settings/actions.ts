"use server";

import { refresh } from "next/cache";
import { pageWords } from "#components/words/page-words.ts";
import { testMail, updateSettings } from "#lib/admin/operations.ts";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

/** A refused form, each problem with the name of its field. */
async function named(state: FormState): Promise<FormState> {
  const t = await pageWords("system");
  return nameErrors(state, {
    registration: t("registration"),
    name: t("serviceName"),
    supportContact: t("supportContact"),
    to: t("mailTestTo"),
  });
}

/** An empty field goes back to the default. */
export async function saveSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(updateSettings, {}, form, ({ registration, name, supportContact }) => ({
    registration,
    name: name || null,
    supportContact: supportContact || null,
  }));
  if (!sent.ok && sent.code === "CONFLICT") {
    refresh();
    return { ...sent.state, error: (await pageWords("system"))("saveConflict"), conflict: true };
  }
  if (!sent.ok) return named(sent.state);
  refresh();
  return { ok: true, message: (await pageWords("system"))("saved") };
}

/** A mail that could not be sent is an answer, too: what to look at is in it. */
export async function testMailAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(testMail, {}, form, ({ to }) => (to ? { to } : {}));
  if (!sent.ok) return named(sent.state);
  const { delivered, message, milliseconds } = sent.result;
  const words = (await pageWords("system"))("mailTestDone", { message, milliseconds });
  return delivered ? { ok: true, message: words } : { ok: false, error: words };
}
