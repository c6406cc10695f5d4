"use server";

import { redirect } from "next/navigation";
import { parseIncidentListReturnHref } from "#components/triage/view.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import {
  refreshPageAfterFormRefusal,
  type FormResult,
  submitFormToOperation,
  readFormValues,
} from "#lib/http/form.ts";
import { loadPageData } from "#lib/http/page.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { changeComment, createComment, deleteComment } from "#lib/conversations/comment-operations.ts";
import {
  type FormState,
  collectRestorableFormValues,
  isFormSubmissionRejected,
} from "#lib/design/form-state.ts";
import { updateRelatedFile, deleteRelatedFile } from "#lib/evidence/operations.ts";
import {
  updateIncident,
  changeIncidentState,
  reopenIncident,
  retitleIncidentByEventSlug,
  showIncident,
  showIncidentHistory,
  undoIncidentChange,
} from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { EDITED_FIELDS, EDITED_FIELD_NAMES } from "#lib/incidents/workflow-fields.ts";
import { setHold, releaseHold } from "#lib/retention/operations.ts";
import { markIncidentUnread } from "#lib/incidents/inbox-operations.ts";
import { finishRefusedChange, refreshOrRedirectToIncident, readPathParamsFromForm } from "./finish-form.ts";
import { buildUndoFormFieldsIfChanged, readFormerValue } from "./undo.ts";

/** Every form on the page names its incident and the version that was on screen (`ifMatch`). */

/**
 * Changes the status. Refuses a blank message on the outcome if the form offers to send one: to send none, the person
 * has to choose that.
 */
export async function changeStatusAction(_: FormState, form: FormData): Promise<FormState> {
  if (isSendingOutcome(form) && !readFormValues(form).outcome?.trim()) return refuseBlankOutcome(form);
  const sent = await submitFormToOperation(
    changeIncidentState,
    readPathParamsFromForm(form),
    form,
    toStateChange,
  );
  return finishChange(form, sent, await describeStatusChange(sent, form));
}

const isSendingOutcome = (form: FormData): boolean => form.get("outcomeChoice") === "send";

const toStateChange = ({ outcomeChoice, outcome, ...values }: Record<string, string>) => ({
  ...values,
  ...(outcomeChoice === "send" && { outcome }),
});

/** Sends the reporter another outcome, without a change of status. */
export async function sendOutcomeAction(_: FormState, form: FormData): Promise<FormState> {
  if (!readFormValues(form).outcome?.trim()) return refuseBlankOutcome(form);
  const t = await getTranslator("ownReport");
  const sent = await submitFormToOperation(
    updateIncident,
    readPathParamsFromForm(form),
    form,
    ({ state, outcome }) => ({ state, outcome }),
  );
  return finishChange(form, sent, { text: t("sentToReporter") });
}

async function refuseBlankOutcome(form: FormData): Promise<FormState> {
  const [t, tErrors] = [await getTranslator("incidentPage"), await getTranslator("formErrors")];
  return {
    ok: false,
    error: tErrors("check"),
    fieldErrors: { outcome: t("writeOutcome") },
    values: collectRestorableFormValues(form),
  };
}

export async function reopenIncidentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(reopenIncident, readPathParamsFromForm(form), form);
  return finishChange(form, sent, await describeStatusChange(sent, form));
}

export async function changeIncidentTitleAction(_: FormState, form: FormData): Promise<FormState> {
  return finishChange(
    form,
    await submitFormToOperation(retitleIncidentByEventSlug, readPathParamsFromForm(form), form),
  );
}

/** Updates the assignee, severity or resolution: whichever field the form holds. */
export async function updateIncidentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitUpdate(form);
  return finishChange(form, sent, await describeUpdate(sent, form));
}

/** Keeps the incident from being deleted, or changes the reason and day of review of its hold. */
export async function setRetentionHoldAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    setHold,
    readPathParamsFromForm(form),
    form,
    ({ reason, reviewOn }) => ({
      reason,
      reviewOn,
    }),
  );
  return finishChange(form, sent);
}

export async function releaseRetentionHoldAction(_: FormState, form: FormData): Promise<FormState> {
  return finishChange(form, await submitFormToOperation(releaseHold, readPathParamsFromForm(form), form));
}

const MAX_TRIES = 3;

/**
 * Submits the update. If another field changed in the meantime but the severity is still the one the form was rendered
 * with, retries a severity change on the current version, up to MAX_TRIES submissions in all.
 */
async function submitUpdate(form: FormData, tries = 1): Promise<SubmittedIncident> {
  const sent = await submitFormToOperation(updateIncident, readPathParamsFromForm(form), form);
  const formerSeverity = readFormerValue(form, "severity");
  if (sent.ok || sent.code !== "CONFLICT" || formerSeverity === undefined || tries === MAX_TRIES) return sent;
  const { incident } = await loadPageData(showIncident, readPathParamsFromForm(form));
  if ((incident.severity ?? "") !== formerSeverity) return sent;
  form.set("ifMatch", incident.updatedAt);
  return submitUpdate(form, tries + 1);
}

/** Undoes the change that the page has just confirmed, unless somebody has changed the incident since. */
export async function undoIncidentChangeAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await getTranslator("incidentPage");
  return finishChange(
    form,
    await submitFormToOperation(undoIncidentChange, readPathParamsFromForm(form), form),
    {
      text: t("undone"),
    },
  );
}

/** Marks the incident as new to the viewer, and goes back to the list it was opened from. */
export async function markIncidentUnreadAction(form: FormData): Promise<void> {
  const { list = "" } = readFormValues(form);
  await submitFormToOperation(markIncidentUnread, {}, form, ({ incidentId, eventId }) => ({
    incidentId,
    eventId,
  }));
  redirect(parseIncidentListReturnHref(list)?.href ?? "/inbox");
}

type SubmittedIncident = FormResult<{ incident: Incident }>;

async function describeStatusChange(sent: SubmittedIncident, form: FormData): Promise<FormState["done"]> {
  if (!sent.ok) return undefined;
  const [t, tIncident] = [await getTranslator("incidentPage"), await getTranslator("incident")];
  const { incident } = sent.result;
  // What the reporter has been told can't be undone.
  const undo = isSendingOutcome(form) ? undefined : buildUndoFormFieldsIfChanged(form, incident);
  const text = t(isSendingOutcome(form) ? "movedWithOutcome" : "moved", {
    state: tIncident(`state.${incident.state}`),
  });
  return { text, ...(undo && { undo }) };
}

async function describeUpdate(sent: SubmittedIncident, form: FormData): Promise<FormState["done"]> {
  if (!sent.ok) return undefined;
  const [t, tIncident] = [await getTranslator("incidentPage"), await getTranslator("incident")];
  const { assignedResponder, severity } = sent.result.incident;
  const undo = buildUndoFormFieldsIfChanged(form, sent.result.incident);
  const doneText = form.has("resolution")
    ? t("recordSaved")
    : form.has("severity")
      ? t("fieldSet", {
          field: tIncident("field.severity"),
          value: tIncident(`severity.${severity ?? "none"}`),
        })
      : assignedResponder
        ? t("assigned", { name: assignedResponder.name })
        : t("unassignedNow");
  return { text: doneText, ...(undo && { undo }) };
}

/** Refreshes the page after success and after refusal; a change that somebody else made before counts as made. */
async function finishChange(
  form: FormData,
  sent: FormResult<unknown>,
  done?: FormState["done"],
): Promise<FormState> {
  if (sent.ok) return refreshOrRedirectToIncident(form, done ? { done } : {});
  const earlierChange = sent.code === "CONFLICT" && (await describeEarlierChange(form));
  if (earlierChange) return refreshOrRedirectToIncident(form, { done: { text: earlierChange } });
  const state = await finishRefusedChange(sent);
  return state.conflict ? state : rephraseErrors(state);
}

const FORM_FIELDS = ["state", "title", ...EDITED_FIELD_NAMES] as const;

/** Lists the history's actions for changes of a field. */
function listHistoryActions(field: (typeof FORM_FIELDS)[number]): readonly string[] {
  if (field === "state") return ["state", "reopen"];
  return field === "title" ? ["title"] : [EDITED_FIELDS[field].action];
}

/**
 * After a conflict: returns a sentence that names who made the same change before, if the incident already has
 * every value of the form; otherwise undefined. It is undefined as well if the form has a note, an outcome or another
 * assignee: those haven't been saved.
 */
async function describeEarlierChange(form: FormData): Promise<string | undefined> {
  const { notes = "", assignedToUserId = "", ...values } = readFormValues(form);
  const changedFields = FORM_FIELDS.filter((name) => name in values);
  const { incident } = await loadPageData(showIncident, readPathParamsFromForm(form));
  const isAlreadySet = (name: (typeof FORM_FIELDS)[number]) =>
    (incident[name] ?? "") === values[name]?.trim();
  if (changedFields.length === 0 || !changedFields.every(isAlreadySet)) return undefined;
  if (notes.trim() || isSendingOutcome(form)) return undefined;
  if (assignedToUserId && assignedToUserId !== incident.assignedResponderId) return undefined;
  const t = await getTranslator("incidentPage");
  const latest = { kind: "changes", order: "desc", limit: "100" };
  const { history } = await loadPageData(showIncidentHistory, readPathParamsFromForm(form), latest);
  const historyActions = changedFields.flatMap(listHistoryActions);
  const name = history.find(({ action }) => historyActions.includes(action))?.actor?.name;
  return name ? t("doneBy", { name }) : t("doneBefore");
}

async function rephraseErrors(state: FormState): Promise<FormState> {
  if (!isFormSubmissionRejected(state)) return state;
  const [t, tIncident, tOwnReport] = [
    await getTranslator("incidentPage"),
    await getTranslator("incident"),
    await getTranslator("ownReport"),
  ];
  const fieldErrors = { ...state.fieldErrors };
  if (fieldErrors.notes && !state.values?.notes?.trim()) fieldErrors.notes = t("writeNote");
  if (fieldErrors.assignedToUserId) fieldErrors.assignedToUserId = t("choosePerson");
  if (fieldErrors.title) fieldErrors.title = tOwnReport("titleLength");
  return labelFieldErrors(
    { ...state, fieldErrors },
    { outcome: t("outcome.message"), notes: t("note"), resolution: tIncident("field.resolution") },
  );
}

/**
 * Sends a message from the team to the reporter or the other way around. Both are public comments; `to` only
 * selects the confirmation text.
 */
export async function sendTeamOrReporterMessageAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await getTranslator("ownReport");
  return createCommentFromForm(
    form,
    "public",
    t(form.get("to") === "team" ? "sentToTeam" : "sentToReporter"),
  );
}

/** Saves a note, which only the team can read. */
export async function saveInternalNoteAction(_: FormState, form: FormData): Promise<FormState> {
  const t = await getTranslator("incidentPage");
  return createCommentFromForm(form, "internal", t("noteSaved"));
}

async function createCommentFromForm(
  form: FormData,
  visibility: "internal" | "public",
  message: string,
): Promise<FormState> {
  const sent = await submitFormToOperation(
    createComment,
    readPathParamsFromForm(form),
    form,
    ({ body, waitForReporter }) => ({
      body,
      visibility,
      ...(waitForReporter !== undefined && { waitForReporter: true }),
    }),
  );
  return sent.ok
    ? refreshOrRedirectToIncident(form, { part: "talk", message })
    : buildRefusedCommentState(sent);
}

export async function changeCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(changeComment, readPathParamsFromForm(form), form, ({ body }) => ({
    body,
  }));
  return sent.ok ? refreshOrRedirectToIncident(form, { part: "timeline" }) : buildRefusedCommentState(sent);
}

export async function deleteCommentAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteComment, readPathParamsFromForm(form), form);
  return sent.ok ? refreshOrRedirectToIncident(form, { part: "timeline" }) : buildRefusedCommentState(sent);
}

/** Refreshes the page so that a conflict shows next to the comment's current text. */
async function buildRefusedCommentState(sent: FormResult<unknown> & { ok: false }): Promise<FormState> {
  const state = await finishRefusedChange(sent);
  if (state.conflict) return state;
  if (!state.fieldErrors?.body || state.values?.body?.trim()) return state;
  const t = await getTranslator("ownReport");
  return { ...state, fieldErrors: { ...state.fieldErrors, body: t("writeFirst") } };
}

export async function setFileDescriptionAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    updateRelatedFile,
    readPathParamsFromForm(form),
    form,
    ({ description }) => ({
      description,
    }),
  );
  return sent.ok ? refreshOrRedirectToIncident(form, { part: "files" }) : buildRefusedFileState(sent);
}

/** Shares a file with the reporter, or limits it to the team again. */
export async function setFileVisibleToReporterAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(
    updateRelatedFile,
    readPathParamsFromForm(form),
    form,
    ({ share }) => ({
      visibleToReporter: share === "yes",
    }),
  );
  return sent.ok ? refreshOrRedirectToIncident(form, { part: "files" }) : buildRefusedFileState(sent);
}

export async function deleteFileAction(_: FormState, form: FormData): Promise<FormState> {
  const sent = await submitFormToOperation(deleteRelatedFile, readPathParamsFromForm(form), form);
  return sent.ok ? refreshOrRedirectToIncident(form, { part: "files" }) : buildRefusedFileState(sent);
}

function buildRefusedFileState({ state, code }: FormResult<unknown> & { ok: false }): FormState {
  refreshPageAfterFormRefusal(code);
  return state;
}
