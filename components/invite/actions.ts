"use server";

import { refresh } from "next/cache";
import { splitEmailAddresses } from "#components/invite/email-list.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { mailEventInvites, mailOrganizationInvites } from "#lib/invites/operations.ts";

/** Mails invites to an event or an organization, each to the address that it is for. */
export async function mailInvitesAction(_: FormState, form: FormData): Promise<FormState> {
  const [slug, orgSlug] = [form.get("event"), form.get("organization")].map((value) => String(value ?? ""));
  const toInput = ({ emails, role }: Record<string, string>) => ({
    emails: splitEmailAddresses(emails),
    role,
  });
  const sent = slug
    ? await submitFormToOperation(mailEventInvites, { slug }, form, toInput)
    : await submitFormToOperation(mailOrganizationInvites, { orgSlug: orgSlug ?? "" }, form, toInput);
  const t = await getTranslator("invite");
  if (!sent.ok) return labelFieldErrors(sent.state, { emails: t("byEmail.field"), role: t("yourRole") });
  refresh();
  return { ok: true, message: t("byEmail.sent", { count: sent.result.invites.length }) };
}
