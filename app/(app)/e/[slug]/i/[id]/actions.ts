"use server";

import { refresh } from "next/cache";
import { submit } from "#lib/api/form.ts";
import { refused, type FormState } from "#lib/design/form-state.ts";
import {
  changeIncident,
  changeIncidentState,
  reopenIncident,
  retitleIncidentBySlug,
} from "#lib/incidents/operations.ts";
import type { Operation } from "#lib/api/operation.ts";

/** Each form of the page says which report it means and which version of it was on the screen (`ifMatch`). */

export async function moveAction(_: FormState, form: FormData): Promise<FormState> {
  return change(changeIncidentState, form);
}

export async function reopenAction(_: FormState, form: FormData): Promise<FormState> {
  return change(reopenIncident, form);
}

export async function retitleAction(_: FormState, form: FormData): Promise<FormState> {
  return change(retitleIncidentBySlug, form);
}

/** Assignee, severity or resolution: the one field that the form holds. */
export async function updateAction(_: FormState, form: FormData): Promise<FormState> {
  return change(changeIncident, form);
}

/**
 * After success and after a refusal alike the page is read again: a conflict then stands beside what changed,
 * with the words still in the form, and the next press sends the version that is on the screen.
 */
async function change(operation: Operation, form: FormData): Promise<FormState> {
  const path = { slug: String(form.get("slug") ?? ""), incidentId: String(form.get("incidentId") ?? "") };
  const sent = await submit(operation, path, form);
  refresh();
  return sent.ok ? { ok: true } : inOurWords(sent.state);
}

function inOurWords(state: FormState): FormState {
  if (!refused(state)) return state;
  const fieldErrors = { ...state.fieldErrors };
  if (fieldErrors.notes && !state.values?.notes?.trim()) fieldErrors.notes = "Write a note.";
  if (fieldErrors.assignedToUserId) fieldErrors.assignedToUserId = "Choose who takes it on.";
  if (fieldErrors.title) fieldErrors.title = "The title needs 10 to 70 characters.";
  const conflict = state.error?.startsWith("Somebody changed this report");
  return conflict ? { ...state, error: CONFLICT } : { ...state, fieldErrors };
}

const CONFLICT =
  "Somebody changed this report in the meantime. This page now shows it as it stands. Look at what changed; " +
  "what you wrote is still here, and you can send it if it still fits.";
