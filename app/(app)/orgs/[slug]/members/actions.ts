"use server";

import { isSystemAdmin } from "#lib/operation/policy.ts";
import { redirect } from "next/navigation";
import { submitFormToOperation } from "#lib/http/form.ts";
import { getCurrentActor } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { changeOrganizationMember, removeOrganizationMember } from "#lib/organizations/operations.ts";

const readPathParamsFromForm = (form: FormData) => ({
  orgSlug: String(form.get("organization") ?? ""),
  userId: String(form.get("userId") ?? ""),
});

export async function changeMemberRoleAction(_: FormState, form: FormData): Promise<FormState> {
  const at = readPathParamsFromForm(form);
  const sent = await submitFormToOperation(changeOrganizationMember, at, form);
  if (!sent.ok) return sent.state;
  redirect(`/orgs/${at.orgSlug}/members?after=role`);
}

/**
 * Removes a member. People who remove themselves are redirected away, since they can no longer open these
 * pages.
 */
export async function removeMemberAction(_: FormState, form: FormData): Promise<FormState> {
  const at = readPathParamsFromForm(form);
  const actor = await getCurrentActor();
  const sent = await submitFormToOperation(removeOrganizationMember, at, form);
  if (!sent.ok) return sent.state;
  const hasLeft = actor?.id === at.userId && !isSystemAdmin(actor);
  redirect(hasLeft ? "/orgs?after=left" : `/orgs/${at.orgSlug}/members?after=removed`);
}
