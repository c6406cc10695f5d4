"use server";

import { redirect } from "next/navigation";
import { toIntakeInput } from "#components/intake/intake-form-values.ts";
import { loadPublicEvent } from "#components/event/event-data.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { chooseEventTimeZone } from "#lib/design/reader-zone.ts";
import { submitForm } from "#lib/http/form.ts";
import { MAX_TITLE_LENGTH, MIN_TITLE_LENGTH } from "#lib/incidents/schema.ts";
import { createIntake } from "#lib/intake/operations.ts";

/** Files the report, and leads to the page on which the person reads it. */
export async function takeReportAction(_: FormState, form: FormData): Promise<FormState> {
  const slug = String(form.get("slug"));
  const event = await loadPublicEvent(slug);
  const options = {
    zone: chooseEventTimeZone(null, event.timeZone),
    now: new Date(),
    title: { min: MIN_TITLE_LENGTH, max: MAX_TITLE_LENGTH },
    leadIn: await getTranslator("reportForm"),
  };
  const sent = await submitForm(createIntake, { slug }, form, (values) => toIntakeInput(values, options));
  if (sent.ok) redirect(`/e/${slug}/take/${sent.result.incident.id}`);
  const t = await getTranslator("intake");
  return labelFieldErrors(sent.state, {
    channel: t("channel"),
    description: t("description"),
    title: t("subject"),
    incidentAt: t("when"),
    location: t("where"),
    parties: t("who"),
    observations: t("observations"),
    witnessId: t("witness"),
  });
}
