"use server";

import { redirect } from "next/navigation";
import { submit } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { acceptOwnInvitation, declineOwnInvitation } from "#lib/invitations/operations.ts";
import { INVITATIONS_PATH } from "#lib/notifications/links.ts";

const idIn = (form: FormData) => ({ invitationId: String(form.get("invitationId") ?? "") });

export async function acceptAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(acceptOwnInvitation, idIn(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${INVITATIONS_PATH}?after=accepted`);
}

export async function declineAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(declineOwnInvitation, idIn(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${INVITATIONS_PATH}?after=declined`);
}
