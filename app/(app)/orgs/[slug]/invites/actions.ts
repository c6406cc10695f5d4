"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { newInviteOf } from "#components/invite/new-invite.ts";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { changeInvite, createInvite } from "#lib/invites/operations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const orgOf = (form: FormData) => String(form.get("organization") ?? "");
const pathOf = (form: FormData) => ({
  orgSlug: orgOf(form),
  inviteId: String(form.get("inviteId") ?? ""),
});

/** Creates an invite; the page then shows its link on top. */
export async function createInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = orgOf(form);
  const sent = await submit(createInvite, { orgSlug }, form, ({ days, ...values }) =>
    newInviteOf(values, days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null),
  );
  if (!sent.ok) return nameErrors(sent.state, await labels());
  redirect(`/orgs/${orgSlug}/invites?created=${sent.result.invite.id}`);
}

/** Disables an invite, or makes it work again. */
export async function switchInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const at = pathOf(form);
  const off = form.get("disabled") === "true";
  const sent = await submit(changeInvite, at, form, () => ({ disabled: off }));
  if (!sent.ok) return sent.state;
  revalidatePath(`/orgs/${at.orgSlug}/invites`);
  redirect(`/orgs/${at.orgSlug}/invites?after=${off ? "off" : "on"}`);
}

/** Changes what the admins noted about an invite; blank takes it away. */
export async function changeNoteAction(_: FormState, form: FormData): Promise<FormState> {
  const at = pathOf(form);
  const sent = await submit(changeInvite, at, form, ({ note }) => ({ note: note || null }));
  if (!sent.ok) return nameErrors(sent.state, await labels());
  revalidatePath(`/orgs/${at.orgSlug}/invites`);
  return { ok: true };
}

async function labels(): Promise<Record<string, string>> {
  const t = await pageWords("organization");
  return {
    role: t("field.role"),
    expiresAt: t("field.end"),
    maxUses: t("field.uses"),
    note: t("field.note"),
  };
}
