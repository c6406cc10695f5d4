"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { labelEventFormErrors } from "#components/event/event-form-errors.ts";
import { parseChangedEventDays } from "#components/event/event-form-values.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { submitFormToOperation, readFormValues } from "#lib/http/form.ts";
import { renderMarkdown } from "#lib/design/markdown.ts";
import { type FormState, collectRestorableFormValues } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { showEvent, updateEvent, changeReportSettings } from "#lib/events/operations.ts";
import { MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { REPORT_SETTINGS_FORM_FIELD_NAMES, type ReportSettingsOrConductField } from "./fields.ts";

export async function saveEventAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = readFormValues(form);
  const sent = await submitFormToOperation(updateEvent, { slug }, form, parseEventForm);
  if (!sent.ok) return labelEventFormErrors(await buildRefusedState(sent, []));
  const { event } = sent.result;
  if (event.slug !== slug) redirect(`/e/${event.slug}/settings`);
  refresh();
  return { ok: true, message: (await getTranslator("eventAdmin"))("settings.eventSaved") };
}

/** Form values are texts, and an unchecked box sends nothing. */
const parseEventForm = ({
  isActive,
  startDate,
  endDate,
  timeZone,
  startedAt,
  endedAt,
  zoneBefore,
  ...texts
}: Record<string, string>) => ({
  ...texts,
  ...parseChangedEventDays({ startDate, endDate, timeZone, startedAt, endedAt, zoneBefore }),
  isActive: isActive === "true",
});

/** Saves the code of conduct or, if the preview button was pressed, previews it. */
export async function saveOrPreviewConductAction(state: FormState, form: FormData): Promise<FormState> {
  const { slug = "", step } = readFormValues(form);
  if (step === "preview") return await previewConductAction(state, form);
  const sent = await submitFormToOperation(updateEvent, { slug }, form, ({ codeOfConduct }) => ({
    codeOfConduct,
  }));
  if (!sent.ok) return buildRefusedState(sent, ["codeOfConduct"]);
  refresh();
  return { ok: true, message: (await getTranslator("eventAdmin"))("settings.conductSaved") };
}

/** Renders a preview of the code of conduct, for those who may change it. Saves nothing. */
export async function previewConductAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", codeOfConduct = "" } = readFormValues(form);
  const allowed = await submitFormToOperation(showEvent, { slug }, form);
  if (!allowed.ok) return allowed.state;
  const preview = renderMarkdown(codeOfConduct.slice(0, MAX_CODE_OF_CONDUCT_LENGTH));
  return { ok: false, preview, values: collectRestorableFormValues(form) };
}

export async function saveReportSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = readFormValues(form);
  const sent = await submitFormToOperation(changeReportSettings, { slug }, form, parseReportSettingsForm);
  if (!sent.ok) return buildRefusedState(sent, REPORT_SETTINGS_FORM_FIELD_NAMES);
  refresh();
  return { ok: true, message: (await getTranslator("eventAdmin"))("settings.reportersSaved") };
}

const parseReportSettingsForm = ({
  showTeam,
  searchEngines,
  withoutAccount,
  answerWithinHours,
  nextUpdateWithinDays,
  ...texts
}: Record<string, string>) => ({
  ...texts,
  showTeam: showTeam === "true",
  searchEngines: searchEngines === "true",
  withoutAccount: withoutAccount === "true",
  answerWithinHours: answerWithinHours ? Number(answerWithinHours) : null,
  nextUpdateWithinDays: nextUpdateWithinDays ? Number(nextUpdateWithinDays) : null,
});

export async function removeEventLogoAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = readFormValues(form);
  const sent = await submitFormToOperation(updateEvent, { slug }, form, () => ({ logo: null }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true };
}

/** Returns the state that the form shows. After a conflict, refreshes the page to show the current values. */
async function buildRefusedState(
  { state, code }: { state: FormState; code: string },
  fields: readonly ReportSettingsOrConductField[],
): Promise<FormState> {
  const t = await getTranslator("eventAdmin");
  if (code === "CONFLICT") {
    refresh();
    return { ...state, error: t("settings.conflict"), conflict: true };
  }
  return labelFieldErrors(state, Object.fromEntries(fields.map((name) => [name, t(`settings.${name}`)])));
}
