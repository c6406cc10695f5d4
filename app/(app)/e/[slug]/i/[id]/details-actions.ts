"use server";

import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { type FormResult, readFormValues, submitFormToOperation } from "#lib/http/form.ts";
import { loadPageData } from "#lib/http/page.ts";
import { INCIDENT_TIME_FIELDS, readIncidentTime, toIncidentTimeFormValues } from "#lib/incident-time.ts";
import { showIncident, updateIncident } from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { findTimeZoneByText } from "#lib/time-zones.ts";
import { finishRefusedChange, readPathParamsFromForm, refreshOrRedirectToIncident } from "./finish-form.ts";

type Values = Record<string, string>;

const TEXT_FIELDS = ["type", "location", "summary"] as const;

/**
 * Changes what the form changes of the details. A field that its writer left as it was keeps what others have written there
 * meanwhile.
 */
export async function changeIncidentDetailsAction(_: FormState, form: FormData): Promise<FormState> {
  const changed = listChangedFields(readFormValues(form));
  const t = await getTranslator("incidentPage");
  if (changed.length === 0) return refreshOrRedirectToIncident(form, { done: { text: t("detailsSaved") } });
  const sent = await submitDetails(form, changed);
  if (!sent.ok) return finishRefusedChange(sent);
  const { event, id, updatedAt } = sent.result.incident;
  const undo = { slug: event.slug, incidentId: id, ifMatch: updatedAt };
  return refreshOrRedirectToIncident(form, { done: { text: t("detailsSaved"), undo } });
}

const MAX_TRIES = 3;

/** Submits the fields, again on the present version where others have changed only other fields since the form was rendered. */
async function submitDetails(
  form: FormData,
  changed: readonly string[],
  tries = 1,
): Promise<FormResult<{ incident: Incident }>> {
  const params = readPathParamsFromForm(form);
  const sent = await submitFormToOperation(updateIncident, params, form, (values) =>
    toChange(values, changed),
  );
  if (sent.ok || sent.code !== "CONFLICT" || tries === MAX_TRIES) return sent;
  const { incident } = await loadPageData(showIncident, params);
  const values = readFormValues(form);
  const present: Values = {
    ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, incident[name] ?? ""])),
    ...toIncidentTimeFormValues(incident, readZone(values)),
  };
  if (changed.some((name) => present[name] !== values[`was.${name}`])) return sent;
  form.set("ifMatch", incident.updatedAt);
  return submitDetails(form, changed, tries + 1);
}

const listChangedFields = (values: Values): string[] =>
  [...TEXT_FIELDS, ...INCIDENT_TIME_FIELDS].filter(
    (name) => (values[name] ?? "").trim() !== (values[`was.${name}`] ?? ""),
  );

/** @throws InvalidInputError naming the field of a time that isn't one */
function toChange(values: Values, changed: readonly string[]): Record<string, unknown> {
  const texts = TEXT_FIELDS.filter((name) => changed.includes(name)).map((name) => [name, values[name]]);
  const isTimeChanged = INCIDENT_TIME_FIELDS.some((name) => changed.includes(name));
  return { ...Object.fromEntries(texts), ...(isTimeChanged && readTime(values)) };
}

const readZone = ({ zone = "" }: Values): string => findTimeZoneByText(zone) ?? "UTC";

/** Reads the time; of two moments that a clock showed twice the first, and also one that is still ahead. */
function readTime(values: Values) {
  const entered = { ...values, incidentTwice: "first", incidentAhead: "true" };
  const time = readIncidentTime(entered, { zone: readZone(values), now: new Date() });
  if (time && "problem" in time) throw new InvalidInputError({ [time.field]: createFieldProblem("invalid") });
  return time ?? { incidentAt: null, incidentOn: null, incidentDayPart: null };
}
