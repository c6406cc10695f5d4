"use server";

import { redirect } from "next/navigation";
import { toIntakeInput } from "#components/intake/intake-form-values.ts";
import { loadPublicEventAndSetZone } from "#components/event/event-data.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { handDeviceOverToReporter } from "#lib/http/handed-over-device.ts";
import { getCurrentLocale, loadPageData } from "#lib/http/page.ts";
import { formatNeutralTitle } from "#lib/incidents/neutral-title.ts";
import { createIntake, showIntake } from "#lib/conversations/intake-operations.ts";

/** Files the report, and redirects to the page on which the person reads it. */
export async function takeReportForPersonAction(_: FormState, form: FormData): Promise<FormState> {
  const slug = String(form.get("slug"));
  const event = await loadPublicEventAndSetZone(slug);
  const zone = chooseTimeZoneForEventTimes(null, event.timeZone);
  const now = new Date();
  const neutralTitle = await formatIntakeTitle(now, zone);
  const sent = await submitFormToOperation(createIntake, { slug }, form, (values) =>
    toIntakeInput(values, { zone, now, neutralTitle }),
  );
  if (sent.ok) {
    const { id } = sent.result.incident;
    if (form.get("channel") === "in_person") await handDeviceOverToReporter(id);
    redirect(`/e/${slug}/take/${id}?filed=yes`);
  }
  const t = await getTranslator("intake");
  const state = describeHidingProblem(sent.state, t("excludedProblem"));
  if (sent.code === "IDEMPOTENCY_KEY_REUSED") return askToSendAsAnother(state, form);
  return labelFieldErrors(state, {
    channel: t("channel"),
    description: t("description"),
    title: t("subject"),
    incidentAt: t("when"),
    location: t("where"),
    parties: t("who"),
    reportedPersonName: t("reportedPerson"),
    observations: t("observations"),
    witnessId: t("witness"),
  });
}

/**
 * Hands the device over for a report that the person hasn't read yet. The button is on the incident's page. `return`
 * names corrections that were sent after the last hand-over had ended.
 */
export async function handDeviceOverForReadBackAction(form: FormData): Promise<void> {
  const path = { slug: String(form.get("slug")), incidentId: String(form.get("incidentId")) };
  const { intake } = await loadPageData(showIntake, path);
  if (intake?.canConfirm) await handDeviceOverToReporter(path.incidentId);
  const key = String(form.get("return") ?? "");
  const query = key ? `?${new URLSearchParams({ return: key }).toString()}` : "";
  redirect(`/e/${path.slug}/take/${path.incidentId}${query}`);
}

const formatIntakeTitle = async (at: Date, timeZone: string): Promise<string> =>
  formatNeutralTitle(at, {
    kind: undefined,
    t: await getTranslator("reportForm"),
    locale: await getCurrentLocale(),
    timeZone,
  });

/** Says that an earlier text was filed under the form's key. Sent again, with a new key, the text is another report. */
const askToSendAsAnother = async (state: FormState, form: FormData): Promise<FormState> => ({
  ...state,
  error: (await getTranslator("reportForm"))("problem.another"),
  values: { ...state.values, ticket: `${String(form.get("ticket"))}.` },
});

/** Says how to fix a selection of people that the report can't be hidden from. */
const describeHidingProblem = (state: FormState, problem: string): FormState =>
  state.fieldErrors?.excludedUserIds === undefined
    ? state
    : { ...state, fieldErrors: { ...state.fieldErrors, excludedUserIds: problem } };
