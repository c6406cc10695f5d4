"use server";

import { redirect } from "next/navigation";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { acceptInvitation, declineInvitation } from "#lib/invites/invitation-operations.ts";
import { INVITATIONS_PATH } from "#lib/notifications/links.ts";

const readInvitationId = (form: FormData) => ({ invitationId: String(form.get("invitationId") ?? "") });

export async function acceptInvitationAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(acceptInvitation, readInvitationId(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${INVITATIONS_PATH}?after=accepted`);
}

export async function declineInvitationAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(declineInvitation, readInvitationId(form), form);
  if (!sent.ok) return sent.state;
  redirect(`${INVITATIONS_PATH}?after=declined`);
}
