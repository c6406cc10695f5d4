"use server";

import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { logIn } from "#lib/accounts/operations.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { addNextParameter } from "#lib/http/next-path.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { redeemInvite, showInvite } from "#lib/invites/operations.ts";
import { registerAccountWithInvite } from "#lib/invites/registration-operations.ts";
import { buildPathAfterAcceptingInvite } from "./invite-offer.ts";

const readCode = (form: FormData) => String(form.get("code") ?? "");

/** Accepts the invite and redirects to what it opened. */
export async function acceptInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(redeemInvite, { code: readCode(form) }, form);
  if (!sent.ok) return sent.state;
  redirect(buildPathAfterAcceptingInvite({ ...sent.result, invite: { role: sent.result.role } }));
}

/** Registers with the invite, signs in with the same credentials, and redirects to what the invite opened. */
export async function registerWithInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const invitePath = `/invite/${encodeURIComponent(readCode(form))}`;
  const t = await getTranslator("invite");
  const sent = await submitFormToOperation(registerAccountWithInvite, { inviteCode: readCode(form) }, form);
  if (!sent.ok) {
    const labels = { email: t("field.email"), name: t("field.name"), password: t("field.password") };
    return labelFieldErrors(sent.state, labels);
  }
  const signedIn = await submitFormToOperation(logIn, {}, form);
  if (!signedIn.ok) redirect(addNextParameter("/login", invitePath));
  const viewed = await submitFormToOperation(showInvite, { code: readCode(form) }, form);
  redirect(viewed.ok ? buildPathAfterAcceptingInvite(viewed.result) : invitePath);
}
