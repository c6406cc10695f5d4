"use server";

import { refresh, revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { normalizeNfc } from "#lib/design/unicode.ts";
import { type FormState, collectRestorableFormValues } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import {
  updateOutsidePerson,
  updateOutcomeTemplates,
  deleteOrganization,
  updateOrganization,
} from "#lib/organizations/operations.ts";
import { INCIDENT_STATES_WITH_OUTCOME } from "#lib/organizations/outcome-templates.ts";

const readOrganizationSlug = (form: FormData) => String(form.get("organization") ?? "");

export async function updateOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(updateOrganization, { orgSlug }, form);
  const t = await getTranslator("organization");
  if (!sent.ok && sent.code === "CONFLICT") {
    refresh();
    return { ...sent.state, error: t("details.conflict"), conflict: true };
  }
  if (!sent.ok)
    return labelFieldErrors(sent.state, {
      name: t("field.name"),
      description: t("field.description"),
      website: t("field.website"),
    });
  revalidatePath(`/orgs/${orgSlug}`, "layout");
  return { ok: true, message: t("details.saved") };
}

/**
 * Requires two-factor sign-in of everybody in the organization and in its events' teams, or stops requiring
 * it.
 */
export async function setSecondFactorRequiredAction(_: FormState, form: FormData): Promise<FormState> {
  return saveRequirement(form, "requireSecondFactor");
}

/** Asks the teams to answer the conflict check before they open new reports, or stops asking. */
export async function setConflictCheckRequiredAction(_: FormState, form: FormData): Promise<FormState> {
  return saveRequirement(form, "conflictCheck");
}

async function saveRequirement(
  form: FormData,
  name: "requireSecondFactor" | "conflictCheck",
): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(updateOrganization, { orgSlug }, form, ({ require }) => ({
    [name]: require === "true",
  }));
  if (!sent.ok) return sent.state;
  revalidatePath(`/orgs/${orgSlug}`, "layout");
  return { ok: true, message: (await getTranslator("organization"))("details.saved") };
}

export async function saveOutsidePersonAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(updateOutsidePerson, { orgSlug }, form, ({ userId = "" }) => ({
    userId: userId || null,
  }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true, message: (await getTranslator("organization"))("outsidePerson.saved") };
}

/**
 * Saves the texts that differ from the defaults. A blank text, and one that equals the default, restores the default.
 */
export async function saveOutcomeTemplatesAction(_: FormState, form: FormData): Promise<FormState> {
  const orgSlug = readOrganizationSlug(form);
  const sent = await submitFormToOperation(updateOutcomeTemplates, { orgSlug }, form, (values) => ({
    templates: LOCALES.flatMap((locale) =>
      INCIDENT_STATES_WITH_OUTCOME.map((state) => {
        const body = values[`${locale}.${state}`]?.trim() ?? "";
        return {
          locale,
          state,
          body: body === createTranslatorForLocale(locale, "outcome")(`template.${state}`) ? "" : body,
        };
      }),
    ),
  }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true, message: (await getTranslator("organization"))("outcomes.saved") };
}

/** Deletes the organization once its name has been typed, because deletion is permanent. */
export async function deleteOrganizationAction(_: FormState, form: FormData): Promise<FormState> {
  const expected = normalizeText(form.get("expected"));
  if (normalizeText(form.get("confirmation")) !== expected) {
    const confirmation = (await getTranslator("organization"))("delete.mismatch", { name: expected });
    return { ok: false, fieldErrors: { confirmation }, values: collectRestorableFormValues(form) };
  }
  const sent = await submitFormToOperation(deleteOrganization, { orgSlug: readOrganizationSlug(form) }, form);
  if (!sent.ok) return sent.state;
  redirect("/orgs?after=deleted");
}

const normalizeText = (value: FormDataEntryValue | null): string => normalizeNfc(String(value ?? "")).trim();
