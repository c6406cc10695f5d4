"use server";

import { refresh } from "next/cache";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { submit, valuesOf } from "#lib/api/form.ts";
import { changeComment, createComment, deleteComment } from "#lib/comments/operations.ts";
import { refused, type FormState } from "#lib/design/form-state.ts";
import { describeFile, removeFile } from "#lib/evidence/operations.ts";
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

/** A message, from the team to the reporter or the other way round. No form says which of the two it writes. */
export async function sendMessageAction(_: FormState, form: FormData): Promise<FormState> {
  return say(form, "public", form.get("to") === "team" ? "Sent to the team." : "Sent to the reporter.");
}

/** A note of the team. */
export async function saveNoteAction(_: FormState, form: FormData): Promise<FormState> {
  return say(form, "internal", "Saved. Only the team reads it.");
}

async function say(form: FormData, visibility: "internal" | "public", message: string): Promise<FormState> {
  const sent = await submit(createComment, pathIn(form), form, ({ body }) => ({ body, visibility }));
  return sent.ok ? done(form, { part: "conversation", message }) : unsaid(sent.state);
}

export async function changeCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeComment, pathIn(form), form, ({ body }) => ({ body }));
  return sent.ok ? done(form, { part: "conversation" }) : unsaid(sent.state);
}

export async function deleteCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(deleteComment, pathIn(form), form);
  return sent.ok ? done(form, { part: "conversation" }) : unsaid(sent.state);
}

/** The page is read again, so that a conflict stands beside what the comment says now. */
function unsaid(state: FormState): FormState {
  refresh();
  if (state.error?.startsWith("This comment was changed")) return { ...state, error: COMMENT_CONFLICT };
  const problem = state.fieldErrors?.body;
  if (!problem) return state;
  const body = state.values?.body?.trim() ? `The text ${problem}.` : "Write something first.";
  return { ...state, fieldErrors: { ...state.fieldErrors, body } };
}

const COMMENT_CONFLICT =
  "This was changed in the meantime, in another window perhaps. The page behind now shows what it says. " +
  "Your words are still here; press again if they should replace it.";

export async function describeFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(describeFile, pathIn(form), form, ({ description }) => ({ description }));
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent.state);
}

/** Shares a file with the reporter, or keeps it to the team again. */
export async function shareFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(describeFile, pathIn(form), form, ({ share }) => ({
    visibleToReporter: share === "yes",
  }));
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent.state);
}

export async function deleteFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeFile, pathIn(form), form);
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent.state);
}

function unfiled(state: FormState): FormState {
  refresh();
  const problem = state.fieldErrors?.description;
  return problem
    ? { ...state, fieldErrors: { ...state.fieldErrors, description: `The description ${problem}.` } }
    : state;
}

function pathIn(form: FormData): Record<string, string> {
  const { slug = "", incidentId = "", commentId = "", fileId = "" } = valuesOf(form);
  return { slug, incidentId, commentId, fileId };
}

/**
 * With script the page stays and is read again. Without, the browser goes to the page anew: reloading the answer to
 * a post would send the same words twice.
 */
async function done(
  form: FormData,
  { part, message }: { part: string; message?: string },
): Promise<FormState> {
  const { slug = "", incidentId = "" } = pathIn(form);
  if (!(await headers()).has("next-action"))
    redirect(`/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(incidentId)}#${part}`);
  refresh();
  return { ok: true, ...(message ? { message } : {}) };
}
