"use server";

import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { logIn } from "#lib/accounts/operations.ts";
import { submit } from "#lib/http/form.ts";
import { withNext } from "#lib/http/next-path.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { redeemAnyInvite, viewAnyInvite } from "#lib/invites/operations.ts";
import { registerAccountWithInvite } from "#lib/registration/operations.ts";
import { placeOf } from "./offer.ts";

const codeOf = (form: FormData) => String(form.get("code") ?? "");

/** Accepts the invite, and goes to what it opened. */
export async function acceptInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(redeemAnyInvite, { code: codeOf(form) }, form);
  if (!sent.ok) return sent.state;
  redirect(placeOf({ ...sent.result, invite: { role: sent.result.role } }));
}

/** Registers with the invite, signs in with the same words, and goes to what the invite opened. */
export async function registerWithInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const here = `/invite/${encodeURIComponent(codeOf(form))}`;
  const t = await pageWords("invite");
  const sent = await submit(registerAccountWithInvite, { inviteCode: codeOf(form) }, form);
  if (!sent.ok) {
    const labels = { email: t("field.email"), name: t("field.name"), password: t("field.password") };
    return nameErrors(sent.state, labels);
  }
  const signedIn = await submit(logIn, {}, form);
  if (!signedIn.ok) redirect(withNext("/login", here));
  const offer = await submit(viewAnyInvite, { code: codeOf(form) }, form);
  redirect(offer.ok ? placeOf(offer.result) : here);
}
