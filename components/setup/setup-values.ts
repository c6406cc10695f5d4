import { parseEventDays } from "#components/event/event-form-values.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { splitEmailAddresses } from "#components/invite/email-list.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { findConductText } from "#lib/events/conduct-texts.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { ErrorCode } from "#lib/operation/errors.ts";

/** Between the forms that open an event and their operations. */

type FormValues = Partial<Record<string, string>>;

const blankToMissing = (text: string | undefined): string | undefined => text?.trim() || undefined;

/**
 * Parses what the forms have in common. A field that a form doesn't have is left out, and copied or derived by the
 * operation.
 */
export function parseEventSetup(values: FormValues, locale: Locale) {
  const { name, description, website, contactEmail, emergencyNumber, hideTeam, copyFromEventId } = values;
  const days = parseEventDays(values);
  const teamEmails = splitEmailAddresses(values.teamEmails);
  const common = { name, ...days, teamEmails, slug: blankToMissing(values.slug) };
  if (copyFromEventId) return { ...common, copyFromEventId };
  const codeOfConduct =
    blankToMissing(values.codeOfConduct) ?? findConductText(values.conduct, locale) ?? null;
  return {
    ...common,
    description,
    website,
    contactEmail,
    emergencyNumber,
    codeOfConduct,
    showTeam: hideTeam !== "on",
  };
}

export function parseOrganizationSetup(values: FormValues, locale: Locale) {
  return {
    ...parseEventSetup(values, locale),
    organizationName: blankToMissing(values.organizationName),
    organizationSlug: blankToMissing(values.organizationSlug),
    manage: values.manage === "on",
    outsidePersonEmail: values.outsidePersonEmail,
  };
}

/** Names the fields of a refused form, and says it if the form was sent before with other content. */
export async function labelSetupErrors(state: FormState, code: ErrorCode): Promise<FormState> {
  const t = await getTranslator("setup");
  const organization = await getTranslator("organization");
  if (code === "IDEMPOTENCY_KEY_REUSED") return { ...state, error: t("sentAlready") };
  const details = ["description", "startDate", "endDate", "timeZone", "website", "contactEmail"] as const;
  return labelFieldErrors(state, {
    ...Object.fromEntries(details.map((name) => [name, organization(`field.${name}`)])),
    name: t("field.name"),
    slug: t("field.slug"),
    organizationName: t("field.organizationName"),
    organizationSlug: t("field.organizationSlug"),
    teamEmails: t("field.team"),
    outsidePersonEmail: t("field.outsidePerson"),
    emergencyNumber: t("field.emergencyNumber"),
    codeOfConduct: t("field.conduct"),
  });
}
