"use server";

import { refresh, revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { submit } from "#lib/http/form.ts";
import { composeText } from "#lib/design/compose.ts";
import { type FormState, sentValues } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { deleteOrganization, updateOrganization } from "#lib/organizations/operations.ts";

const orgOf = (form: FormData) => String(form.get("organization") ?? "");

export async function updateOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = orgOf(form);
  const sent = await submit(updateOrganization, { orgSlug }, form);
  const t = await pageWords("organization");
  if (!sent.ok && sent.code === "CONFLICT") {
    refresh();
    return { ...sent.state, error: t("details.conflict"), conflict: true };
  }
  if (!sent.ok)
    return nameErrors(sent.state, {
      name: t("field.name"),
      description: t("field.description"),
      website: t("field.website"),
    });
  revalidatePath(`/orgs/${orgSlug}`, "layout");
  return { ok: true, message: t("details.saved") };
}

/** Asks everybody in the organization and the teams of its events for a second factor, or no longer. */
export async function requireSecondFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = orgOf(form);
  const sent = await submit(updateOrganization, { orgSlug }, form, ({ require }) => ({
    requireSecondFactor: require === "true",
  }));
  if (!sent.ok) return sent.state;
  revalidatePath(`/orgs/${orgSlug}`, "layout");
  return { ok: true, message: (await pageWords("organization"))("details.saved") };
}

/** Deletes the organization, once its name has been typed: what is gone can't be brought back. */
export async function deleteOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const expected = plain(form.get("expected"));
  if (plain(form.get("confirmation")) !== expected) {
    const confirmation = (await pageWords("organization"))("delete.mismatch", { name: expected });
    return { ok: false, fieldErrors: { confirmation }, values: sentValues(form) };
  }
  const sent = await submit(deleteOrganization, { orgSlug: orgOf(form) }, form);
  if (!sent.ok) return sent.state;
  redirect("/orgs?after=deleted");
}

const plain = (value: FormDataEntryValue | null): string => composeText(String(value ?? "")).trim();
