"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { submit, valuesOf } from "#lib/http/form.ts";
import { markdownToHtml } from "#lib/design/markdown.ts";
import { type FormState, sentValues } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { showEvent, updateEvent, changeReportSettings } from "#lib/events/operations.ts";
import { MAX_CODE_OF_CONDUCT } from "#lib/events/schema.ts";
import { EVENT_FIELDS, REPORTERS_FIELDS, type SettingsField } from "./fields.ts";

export async function saveEventAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", startDate = "", endDate = "" } = valuesOf(form);
  const t = await pageWords("eventAdmin");
  if (startDate && endDate && endDate < startDate)
    return { ok: false, fieldErrors: { endDate: t("settings.endBeforeStart") }, values: sentValues(form) };
  const sent = await submit(updateEvent, { slug }, form, eventOf);
  if (!sent.ok) return refusedWith(sent, EVENT_FIELDS);
  const { event } = sent.result;
  if (event.slug !== slug) redirect(`/e/${event.slug}/settings`);
  refresh();
  return { ok: true, message: t("settings.eventSaved") };
}

/** A form has texts only: times are in UTC, as the form says, and a box that isn't ticked sends nothing. */
const eventOf = ({ startDate, endDate, isActive, ...texts }: Record<string, string>) => ({
  ...texts,
  startDate: startDate ? `${startDate}:00Z` : null,
  endDate: endDate ? `${endDate}:00Z` : null,
  isActive: isActive === "true",
});

/** Saves the code of conduct; or, for the button that asks for it, shows what it will look like. */
export async function saveConductAction(state: FormState, form: FormData): Promise<FormState> {
  const { slug = "", step } = valuesOf(form);
  if (step === "preview") return await previewConductAction(state, form);
  const sent = await submit(updateEvent, { slug }, form, ({ codeOfConduct }) => ({ codeOfConduct }));
  if (!sent.ok) return refusedWith(sent, ["codeOfConduct"]);
  refresh();
  return { ok: true, message: (await pageWords("eventAdmin"))("settings.conductSaved") };
}

/** What the code of conduct will look like. Only for those who may change it; nothing is saved. */
export async function previewConductAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", codeOfConduct = "" } = valuesOf(form);
  const allowed = await submit(showEvent, { slug }, form);
  if (!allowed.ok) return allowed.state;
  const preview = markdownToHtml(codeOfConduct.slice(0, MAX_CODE_OF_CONDUCT));
  return { ok: false, preview, values: sentValues(form) };
}

export async function saveReportSettingsAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const sent = await submit(changeReportSettings, { slug }, form, reportSettingsOf);
  if (!sent.ok) return refusedWith(sent, REPORTERS_FIELDS);
  refresh();
  return { ok: true, message: (await pageWords("eventAdmin"))("settings.reportersSaved") };
}

const reportSettingsOf = ({
  showTeam,
  answerWithinHours,
  nextWordWithinDays,
  ...texts
}: Record<string, string>) => ({
  ...texts,
  showTeam: showTeam === "true",
  answerWithinHours: answerWithinHours ? Number(answerWithinHours) : null,
  nextWordWithinDays: nextWordWithinDays ? Number(nextWordWithinDays) : null,
});

export async function removeLogoAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const sent = await submit(updateEvent, { slug }, form, () => ({ logo: null }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true };
}

/** What the form shows; where somebody else was faster, with what is there now, which is read anew. */
async function refusedWith(
  { state, code }: { state: FormState; code: string },
  fields: readonly SettingsField[],
): Promise<FormState> {
  const t = await pageWords("eventAdmin");
  if (code === "CONFLICT") {
    refresh();
    return { ...state, error: t("settings.conflict"), conflict: true };
  }
  return nameErrors(state, Object.fromEntries(fields.map((name) => [name, t(`settings.${name}`)])));
}
