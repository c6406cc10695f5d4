"use server";

import { redirect } from "next/navigation";
import { submit } from "#lib/http/form.ts";
import { viewer } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { changeOrganizationMember, removeOrganizationMember } from "#lib/organizations/operations.ts";

const pathOf = (form: FormData) => ({
  orgSlug: String(form.get("organization") ?? ""),
  userId: String(form.get("userId") ?? ""),
});

export async function changeRoleAction(_: FormState, form: FormData): Promise<FormState> {
  const at = pathOf(form);
  const sent = await submit(changeOrganizationMember, at, form);
  if (!sent.ok) return sent.state;
  redirect(`/orgs/${at.orgSlug}/members?after=role`);
}

/** Removes a member. Whoever removes themselves has no more business on these pages. */
export async function removeMemberAction(_: FormState, form: FormData): Promise<FormState> {
  const at = pathOf(form);
  const actor = await viewer();
  const sent = await submit(removeOrganizationMember, at, form);
  if (!sent.ok) return sent.state;
  const left = actor?.id === at.userId && !actor.systemAdmin;
  redirect(left ? "/orgs?after=left" : `/orgs/${at.orgSlug}/members?after=removed`);
}
