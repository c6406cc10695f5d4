"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { newInviteOf } from "#components/invite/new-invite.ts";
import { pageWords } from "#components/words/page-words.ts";
import { submit, valuesOf } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { changeEventInvite, createEventInvite } from "#lib/invites/operations.ts";

export async function createInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const t = await pageWords("eventAdmin");
  const sent = await submit(createEventInvite, { slug }, form, (values) =>
    // The time is in UTC, as the form says.
    newInviteOf(values, values.expiresAt ? `${values.expiresAt}:00Z` : null),
  );
  if (!sent.ok)
    return nameErrors(sent.state, {
      role: t("invites.role"),
      expiresAt: t("invites.expiresAt"),
      maxUses: t("invites.maxUses"),
      note: t("invites.note"),
    });
  refresh();
  return { ok: true, message: t("invites.created") };
}

export async function switchInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", inviteId = "" } = valuesOf(form);
  const off = form.get("disabled") === "true";
  const sent = await submit(changeEventInvite, { slug, inviteId }, form, () => ({ disabled: off }));
  if (!sent.ok) return sent.state;
  redirect(`/e/${slug}/invites?after=${off ? "off" : "on"}`);
}
