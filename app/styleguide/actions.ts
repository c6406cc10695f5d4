"use server";

import { notFound } from "next/navigation";
import { type FormState, collectRestorableFormValues } from "#lib/design/form-state.ts";
import { env } from "#lib/env.ts";

/** Validates the example form like a real one, and saves nothing. */
export async function validateSampleFormAction(_: FormState, form: FormData): Promise<FormState> {
  if (env().production) notFound();
  const values = collectRestorableFormValues(form);
  const fieldErrors: Record<string, string> = {};
  const length = [...(values.title ?? "").trim()].length;
  if (length < 10 || length > 70) fieldErrors.title = "Write 10 to 70 characters.";
  if (!values.description?.trim()) fieldErrors.description = "Say what happened, in your own words.";
  if (!values.contact) fieldErrors.contact = "Choose one.";
  if (Object.keys(fieldErrors).length > 0) return { ok: false, fieldErrors, values };
  if (values.title === "Refuse this one")
    return { ok: false, error: "This event takes no reports at the moment.", values };
  return { ok: true, message: `Received, with ${form.getAll("files").filter(isFile).length} files.` };
}

/** Always returns a conflict. */
export async function refuseSampleFormWithConflictAction(_: FormState, form: FormData): Promise<FormState> {
  if (env().production) notFound();
  return {
    ok: false,
    conflict: true,
    error: "Someone changed this in the meantime.",
    values: collectRestorableFormValues(form),
  };
}

function isFile(value: FormDataEntryValue): boolean {
  return typeof value !== "string" && value.size > 0;
}
