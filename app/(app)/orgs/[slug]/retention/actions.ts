"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { submitFormToOperation } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { updateRetention } from "#lib/retention/operations.ts";

const toMonths = (value: string | undefined) => (value?.trim() ? Number(value) : null);

/** Saves the previewed retention periods. */
export async function saveRetentionAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = String(form.get("organization") ?? "");
  const sent = await submitFormToOperation(updateRetention, { orgSlug }, form, (values) => ({
    resolvedMonths: toMonths(values.resolvedMonths),
    closedMonths: toMonths(values.closedMonths),
    withoutNameMonths: toMonths(values.withoutNameMonths),
  }));
  if (!sent.ok) return sent.state;
  const path = `/orgs/${encodeURIComponent(orgSlug)}/retention`;
  revalidatePath(path);
  redirect(`${path}?after=saved`);
}
