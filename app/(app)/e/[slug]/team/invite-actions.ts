"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { parseNewInviteFormValues } from "#components/invite/new-invite.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation, readFormValues } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { convertZonedTimeToUtc } from "#lib/wall-clock.ts";
import { changeEventInvite, createEventInvite } from "#lib/invites/operations.ts";

export async function createEventInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = readFormValues(form);
  const t = await getTranslator("eventAdmin");
  const sent = await submitFormToOperation(createEventInvite, { slug }, form, (values) =>
    parseNewInviteFormValues(values, parseExpiry(values)),
  );
  if (!sent.ok)
    return labelFieldErrors(sent.state, {
      role: t("invites.role"),
      expiresAt: t("invites.label.expiresAt"),
      maxUses: t("invites.label.maxUses"),
      note: t("invites.note"),
    });
  refresh();
  return { ok: true, message: t("invites.created") };
}

/** Converts the time that the form states in the event's zone. */
const parseExpiry = ({ expiresAt, zone = "UTC" }: Record<string, string>): string | null =>
  expiresAt ? (convertZonedTimeToUtc(expiresAt, zone) ?? expiresAt) : null;

export async function toggleEventInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", inviteId = "" } = readFormValues(form);
  const off = form.get("disabled") === "true";
  const sent = await submitFormToOperation(changeEventInvite, { slug, inviteId }, form, () => ({
    disabled: off,
  }));
  if (!sent.ok) return sent.state;
  redirect(`/e/${slug}/team?after=${off ? "off" : "on"}#invites`);
}
