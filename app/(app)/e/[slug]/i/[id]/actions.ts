"use server";

import { refresh } from "next/cache";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { readAgain, type Submitted, submit, valuesOf } from "#lib/http/form.ts";
import { show } from "#lib/http/page.ts";
import { changeComment, createComment, deleteComment } from "#lib/comments/operations.ts";
import { type FormState, refused } from "#lib/design/form-state.ts";
import { describeFile, removeFile } from "#lib/evidence/operations.ts";
import {
  changeIncident,
  changeIncidentState,
  reopenIncident,
  retitleIncidentBySlug,
  showIncident,
  showHistory,
} from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { type Before, backTo } from "./undo.ts";

/** Each form of the page says which report it means and which version of it was on the screen (`ifMatch`). */

export async function moveAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeIncidentState, pathIn(form), form);
  return changed(form, sent, await moved(sent, form));
}

export async function reopenAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(reopenIncident, pathIn(form), form);
  return changed(form, sent, await moved(sent, form));
}

export async function retitleAction(_: FormState, form: FormData): Promise<FormState> {
  return changed(form, await submit(retitleIncidentBySlug, pathIn(form), form));
}

/** Assignee, severity or resolution: the one field that the form holds. */
export async function updateAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await update(form);
  return changed(form, sent, await updated(sent, form));
}

const MOST_TRIES = 3;

/**
 * Somebody who changed something else of the report was not faster with its severity: where that is still the one that
 * the form was made with, it is set on the version of now.
 */
async function update(form: FormData, tries = 1): Promise<Sent> {
  const sent = await submit(changeIncident, pathIn(form), form);
  const { wasSeverity } = valuesOf(form);
  if (sent.ok || sent.code !== "CONFLICT" || wasSeverity === undefined || tries === MOST_TRIES) return sent;
  const { incident } = await show(showIncident, pathIn(form));
  if ((incident.severity ?? "") !== wasSeverity) return sent;
  form.set("ifMatch", incident.updatedAt);
  return update(form, tries + 1);
}

/** Takes back what was just done: the fields as they were, unless somebody has changed the report since. */
export async function undoAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await pageWords("case");
  return changed(form, await submit(changeIncident, pathIn(form), form), { words: t("undone") });
}

type Sent = Submitted<{ incident: Incident }>;

async function moved(sent: Sent, form: FormData): Promise<FormState["done"]> {
  if (!sent.ok) return undefined;
  const [t, words] = [await pageWords("case"), await pageWords("incident")];
  const { incident } = sent.result;
  const undo = backTo(beforeIn(form), incident);
  return { words: t("moved", { state: words(`state.${incident.state}`) }), ...(undo && { undo }) };
}

async function updated(sent: Sent, form: FormData): Promise<FormState["done"]> {
  if (!sent.ok) return undefined;
  const [t, words] = [await pageWords("case"), await pageWords("incident")];
  const { assignedResponder, severity } = sent.result.incident;
  const undo = backTo(beforeIn(form), sent.result.incident);
  const said = form.has("severity")
    ? t("severitySet", { severity: words(`severity.${severity ?? "none"}`) })
    : assignedResponder
      ? t("assigned", { name: assignedResponder.name })
      : t("unassignedNow");
  return form.has("resolution") ? undefined : { words: said, ...(undo && { undo }) };
}

/** What the report was like when the form was made, as far as the form changes it. */
function beforeIn(form: FormData): Before {
  const { wasState, wasSeverity, wasAssignee } = valuesOf(form);
  return { state: wasState, severity: wasSeverity, assignedResponderId: wasAssignee };
}

/**
 * After success and after a refusal alike the page is read again: a conflict then stands beside what changed,
 * with the words still in the form, and the next press sends the version that is on the screen.
 */
async function changed(
  form: FormData,
  sent: Submitted<unknown>,
  told?: FormState["done"],
): Promise<FormState> {
  if (sent.ok) return done(form, told ? { told } : {});
  const words = sent.code === "CONFLICT" && (await doneBefore(form));
  if (words) return done(form, { told: { words } });
  readAgain(sent.code);
  return sent.code === "CONFLICT" ? conflict(sent.state) : inOurWords(sent.state);
}

/** What a form may want of the report, with the entries of its history that tell of it. */
const WANTED = {
  state: ["state", "reopen"],
  severity: ["severity"],
  assignedResponderId: ["assignee"],
  resolution: ["resolution"],
  title: ["title"],
} as const;

/**
 * Where the report is by now as the form wants it, there is nothing to choose between: who has done it already, in
 * words. A note, or a person to go with a move, may be wanted still.
 */
async function doneBefore(form: FormData): Promise<string | undefined> {
  const { notes = "", assignedToUserId = "", ...values } = valuesOf(form);
  const wanted = Object.keys(WANTED).filter((name) => name in values) as (keyof typeof WANTED)[];
  const { incident } = await show(showIncident, pathIn(form));
  const isSo = (name: keyof typeof WANTED) => (incident[name] ?? "") === values[name]?.trim();
  if (wanted.length === 0 || !wanted.every(isSo) || notes.trim()) return undefined;
  if (assignedToUserId && assignedToUserId !== incident.assignedResponderId) return undefined;
  const t = await pageWords("case");
  const latest = { kind: "changes", order: "desc", limit: "100" };
  const { history } = await show(showHistory, pathIn(form), latest);
  const told = wanted.flatMap((name): readonly string[] => WANTED[name]);
  const name = history.find(({ action }) => told.includes(action))?.actor?.name;
  return name ? t("doneBy", { name }) : t("doneBefore");
}

async function conflict(state: FormState): Promise<FormState> {
  const t = await pageWords("ownReport");
  return { ...state, error: t("conflict"), fieldErrors: {}, conflict: true };
}

async function inOurWords(state: FormState): Promise<FormState> {
  if (!refused(state)) return state;
  const [t, own] = [await pageWords("case"), await pageWords("ownReport")];
  const fieldErrors = { ...state.fieldErrors };
  if (fieldErrors.notes && !state.values?.notes?.trim()) fieldErrors.notes = t("writeNote");
  if (fieldErrors.assignedToUserId) fieldErrors.assignedToUserId = t("choosePerson");
  if (fieldErrors.title) fieldErrors.title = own("titleLength");
  return { ...state, fieldErrors };
}

/** A message, from the team to the reporter or the other way round. No form says which of the two it writes. */
export async function sendMessageAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await pageWords("ownReport");
  return say(form, "public", t(form.get("to") === "team" ? "sentToTeam" : "sentToReporter"));
}

/** A note of the team. */
export async function saveNoteAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await pageWords("case");
  return say(form, "internal", t("noteSaved"));
}

async function say(form: FormData, visibility: "internal" | "public", message: string): Promise<FormState> {
  const sent = await submit(createComment, pathIn(form), form, ({ body }) => ({ body, visibility }));
  return sent.ok ? done(form, { part: "talk", message }) : unsaid(sent);
}

export async function changeCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(changeComment, pathIn(form), form, ({ body }) => ({ body }));
  return sent.ok ? done(form, { part: "timeline" }) : unsaid(sent);
}

export async function deleteCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(deleteComment, pathIn(form), form);
  return sent.ok ? done(form, { part: "timeline" }) : unsaid(sent);
}

/** The page is read again, so that a conflict stands beside what the comment says now. */
async function unsaid({ state, code }: Submitted<unknown> & { ok: false }): Promise<FormState> {
  readAgain(code);
  if (code === "CONFLICT") return conflict(state);
  if (!state.fieldErrors?.body || state.values?.body?.trim()) return state;
  const t = await pageWords("ownReport");
  return { ...state, fieldErrors: { ...state.fieldErrors, body: t("writeFirst") } };
}

export async function describeFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(describeFile, pathIn(form), form, ({ description }) => ({ description }));
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent);
}

/** Shares a file with the reporter, or keeps it to the team again. */
export async function shareFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(describeFile, pathIn(form), form, ({ share }) => ({
    visibleToReporter: share === "yes",
  }));
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent);
}

export async function deleteFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submit(removeFile, pathIn(form), form);
  return sent.ok ? done(form, { part: "files" }) : unfiled(sent);
}

function unfiled({ state, code }: Submitted<unknown> & { ok: false }): FormState {
  readAgain(code);
  return state;
}

function pathIn(form: FormData): Record<string, string> {
  const { slug = "", incidentId = "", commentId = "", fileId = "" } = valuesOf(form);
  return { slug, incidentId, commentId, fileId };
}

type Outcome = { part?: string; message?: string; told?: NonNullable<FormState["done"]> };

/**
 * With script the page stays and is read again. Without, the browser goes to the page anew: reloading the answer to
 * a post would send the same words twice.
 */
async function done(form: FormData, { part, message, told }: Outcome): Promise<FormState> {
  const { slug = "", incidentId = "" } = pathIn(form);
  if (!(await headers()).has("next-action"))
    redirect(
      `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(incidentId)}${part === undefined ? "" : `#${part}`}`,
    );
  refresh();
  return { ok: true, ...(message !== undefined && { message }), ...(told && { done: told }) };
}
