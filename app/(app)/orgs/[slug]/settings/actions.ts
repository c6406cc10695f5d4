"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { submit } from "#lib/api/form.ts";
import { type FormState, sentValues } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { deleteOrganization, updateOrganization } from "#lib/organizations/operations.ts";

const LABELS = { name: "The name", description: "The description", website: "The website" };

export async function updateOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = String(form.get("organization") ?? "");
  const sent = await submit(updateOrganization, { orgSlug }, form);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  revalidatePath(`/orgs/${orgSlug}`, "layout");
  return { ok: true, message: sent.result.message };
}

/** Deletes the organization, once its name has been typed: what is gone can't be brought back. */
export async function deleteOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const expected = String(form.get("expected") ?? "")
    .normalize("NFC")
    .trim();
  const typed = String(form.get("confirmation") ?? "")
    .normalize("NFC")
    .trim();
  if (typed !== expected) {
    const confirmation = `Type the name exactly as it is: ${expected}`;
    return { ok: false, fieldErrors: { confirmation }, values: sentValues(form) };
  }
  const sent = await submit(deleteOrganization, { orgSlug: String(form.get("organization") ?? "") }, form);
  if (!sent.ok) return sent.state;
  redirect("/orgs?after=deleted");
}
