"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { submit } from "#lib/api/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { changeInvite, createInvite } from "#lib/invites/operations.ts";

const LABELS = { role: "The role", expiresAt: "The end", maxUses: "The number of uses", note: "The note" };
const DAY_MS = 24 * 60 * 60 * 1000;

const orgOf = (form: FormData) => String(form.get("organization") ?? "");

/** Creates an invite; the page then shows its link on top. */
export async function createInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = orgOf(form);
  const sent = await submit(createInvite, { orgSlug }, form, ({ role, days, maxUses, note }) => ({
    role,
    note,
    expiresAt: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
    maxUses: maxUses ? Number(maxUses) : null,
  }));
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  redirect(`/orgs/${orgSlug}/invites?created=${sent.result.invite.id}`);
}

/** Disables an invite, or makes it work again. */
export async function switchInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = orgOf(form);
  const at = { orgSlug, inviteId: String(form.get("inviteId") ?? "") };
  const sent = await submit(changeInvite, at, form, ({ disabled }) => ({ disabled: disabled === "true" }));
  if (!sent.ok) return sent.state;
  revalidatePath(`/orgs/${orgSlug}/invites`);
  return { ok: true, message: sent.result.message };
}
