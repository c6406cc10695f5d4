"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { parseNewInviteFormValues } from "#components/invite/new-invite.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { changeOrganizationInvite, createOrganizationInvite } from "#lib/invites/operations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const readOrganizationSlug = (form: FormData) => String(form.get("organization") ?? "");
const readPathParamsFromForm = (form: FormData) => ({
  orgSlug: readOrganizationSlug(form),
  inviteId: String(form.get("inviteId") ?? ""),
});

/** Creates an invite; the page then shows its link at the top. */
export async function createOrganizationInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(
    createOrganizationInvite,
    { orgSlug },
    form,
    ({ days, ...values }) =>
      parseNewInviteFormValues(
        values,
        days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
      ),
  );
  if (!sent.ok) return labelFieldErrors(sent.state, await loadFieldLabels());
  redirect(`/orgs/${orgSlug}/members?created=${sent.result.invite.id}#invites`);
}

/** Disables an invite, or enables it again. */
export async function toggleOrganizationInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const at = readPathParamsFromForm(form);
  const off = form.get("disabled") === "true";
  const sent = await submitFormToOperation(changeOrganizationInvite, at, form, () => ({ disabled: off }));
  if (!sent.ok) return sent.state;
  revalidatePath(`/orgs/${at.orgSlug}/members`);
  redirect(`/orgs/${at.orgSlug}/members?after=${off ? "off" : "on"}#invites`);
}

/** Changes the admins' note on an invite; a blank note removes it. */
export async function changeInviteNoteAction(_: FormState, form: FormData): Promise<FormState> {
  const at = readPathParamsFromForm(form);
  const sent = await submitFormToOperation(changeOrganizationInvite, at, form, ({ note }) => ({
    note: note || null,
  }));
  if (!sent.ok) return labelFieldErrors(sent.state, await loadFieldLabels());
  revalidatePath(`/orgs/${at.orgSlug}/members`);
  return { ok: true };
}

async function loadFieldLabels(): Promise<Record<string, string>> {
  const t = await getTranslator("organization");
  return {
    role: t("field.role"),
    expiresAt: t("field.end"),
    maxUses: t("field.uses"),
    note: t("field.note"),
  };
}
