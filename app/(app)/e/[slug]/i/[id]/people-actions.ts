"use server";

import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import {
  type FormResult,
  readFormValues,
  refreshPageAfterFormRefusal,
  submitFormToOperation,
} from "#lib/http/form.ts";
import {
  addIncidentPerson,
  changeIncidentPerson,
  joinIncidentPerson,
  removeIncidentPerson,
  splitIncidentPerson,
} from "#lib/people/operations.ts";
import { readPathParamsFromForm, refreshOrRedirectToIncident } from "./finish-form.ts";

/** Actions of the forms about the people of an incident. */

const readParams = (form: FormData) => ({
  ...readPathParamsFromForm(form),
  recordId: readFormValues(form).recordId ?? "",
});

const toPerson = ({ name, role, handles = "", addresses = "" }: Record<string, string>) => ({
  name,
  role,
  handles: toLines(handles),
  addresses: toLines(addresses),
});

const toLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

export const addPersonAction = async (_: FormState, form: FormData): Promise<FormState> =>
  finish(form, await submitFormToOperation(addIncidentPerson, readParams(form), form, toPerson), "added");

export const changePersonAction = async (_: FormState, form: FormData): Promise<FormState> =>
  finish(
    form,
    await submitFormToOperation(changeIncidentPerson, readParams(form), form, toPerson),
    "changed",
  );

export const removePersonAction = async (_: FormState, form: FormData): Promise<FormState> =>
  finish(
    form,
    await submitFormToOperation(removeIncidentPerson, readParams(form), form, () => undefined),
    "removed",
  );

export const joinPersonAction = async (_: FormState, form: FormData): Promise<FormState> =>
  finish(
    form,
    await submitFormToOperation(joinIncidentPerson, readParams(form), form, ({ personId }) => ({ personId })),
    "joined",
  );

export const splitPersonAction = async (_: FormState, form: FormData): Promise<FormState> =>
  finish(
    form,
    await submitFormToOperation(splitIncidentPerson, readParams(form), form, () => undefined),
    "splitDone",
  );

type Done = "added" | "changed" | "removed" | "joined" | "splitDone";

async function finish(form: FormData, sent: FormResult<unknown>, done: Done): Promise<FormState> {
  const t = await getTranslator("people");
  if (!sent.ok) {
    refreshPageAfterFormRefusal(sent.code);
    const labels = { name: t("name"), role: t("role"), handles: t("handles"), addresses: t("addresses") };
    return labelFieldErrors(nameProblemsByField(sent.state), labels);
  }
  return refreshOrRedirectToIncident(form, { part: "people", done: { text: t(done) } });
}

/** A problem of one line belongs to its field: "addresses.0" to "addresses". */
function nameProblemsByField(state: FormState): FormState {
  if (!state.fieldErrors) return state;
  const problems = Object.entries(state.fieldErrors).map(([name, text]) => [name.replace(/\W.*/, ""), text]);
  return { ...state, fieldErrors: Object.fromEntries(problems) };
}
