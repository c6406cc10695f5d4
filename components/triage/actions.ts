"use server";

import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { changeProfile } from "#lib/own-account/operations.ts";
import { submitFormToOperation, readFormValues, type FormResult } from "#lib/http/form.ts";
import { readFormTicketWriterId } from "#lib/http/form-drafts.ts";
import { isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { parseNextPath } from "#lib/http/next-path.ts";
import { getActorOrRedirectToSignIn, loadOptionalPageData } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { env } from "#lib/env.ts";
import { AppError, InvalidInputError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import {
  updateIncident,
  changeIncidentState,
  showIncident,
  undoIncidentChange,
} from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { pinIncident, unpinIncident } from "#lib/incidents/pin-operations.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { removeView, saveView } from "#lib/incidents/saved-view-operations.ts";
import { markIncidentUnread, unmarkIncidentUnread } from "#lib/incidents/inbox-operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/incidents/inbox-schema.ts";
import {
  bulkActionSchema,
  matchingRowsQuerySchema,
  incidentRowSnapshotSchema,
} from "./bulk-action-schema.ts";
import {
  type BulkAction,
  type MatchingRowsQuery,
  type BulkActionResult,
  type MatchingRowsBatchResult,
  type BulkFailureReason,
  BULK_FAILURE_REASONS,
  type IncidentRowSnapshot,
} from "./bulk-actions.ts";
import { DENSITY_COOKIE } from "./preferences.ts";
import {
  readIncidentRowSnapshots,
  readMatchingRowsQueryFromForm,
  loadMatchingRowsBatch,
  loadSelectedIncidentRowSnapshots,
} from "./selected-rows.ts";
import { parseSavedViewQuery, buildReplacedFiltersHref } from "./view.ts";

/**
 * Applies an action to rows of the list, one after another, each through its usual operation. Rows that are
 * refused stay unchanged and are named. Used with script; refreshes the page with the response.
 */
export async function applyBulkActionAndRefresh(
  action: unknown,
  rows: unknown,
  ticket: unknown,
): Promise<BulkActionResult> {
  const snapshots = z.array(incidentRowSnapshotSchema).max(MAX_BULK_INCIDENTS).parse(rows);
  const outcome = await performOnRows(bulkActionSchema.parse(action), snapshots, ticket);
  refresh();
  return outcome;
}

/**
 * Applies an action to the next hundred matching rows after a cursor. The page requests part after part, so
 * that no request takes long. Used with script; refreshes the page after the last part.
 * @throws AppError UNAUTHENTICATED if another account is signed in by now
 */
export async function performBulkActionOnNextBatch(
  action: unknown,
  matching: unknown,
  { after, ticket }: { after: unknown; ticket: unknown },
): Promise<MatchingRowsBatchResult> {
  const cursor = z.string().max(100).nullable().parse(after);
  if (isOtherUsersTicket(ticket, await getActorOrRedirectToSignIn())) throw createUnauthenticatedError();
  const part = await performOnMatchingPart(
    bulkActionSchema.parse(action),
    matchingRowsQuerySchema.parse(matching),
    cursor,
  );
  if (part.next === null && !part.wait) refresh();
  return part;
}

async function performOnMatchingPart(
  action: BulkAction,
  matching: MatchingRowsQuery,
  after: string | null,
): Promise<MatchingRowsBatchResult> {
  const { id: me } = await getActorOrRedirectToSignIn();
  const part: MatchingRowsBatchResult = { done: 0, failed: [], next: after, wait: false };
  const found = await loadMatchingRowsBatch(matching, after).catch(ignoreRateLimited);
  if (!found) return { ...part, wait: true };
  const { rows, complete } = found;
  for (const row of rows) {
    const result = await performOnRow(action, row, me);
    if (result === "RATE_LIMITED") return { ...part, wait: true };
    if (typeof result === "string") part.failed.push({ id: row.id, title: row.title, why: result });
    else part.done += 1;
    part.next = row.place;
  }
  return complete ? { ...part, next: null } : part;
}

/** Returns null for RATE_LIMITED. @throws any other error */
function ignoreRateLimited(error: unknown): null {
  if (error instanceof AppError && error.code === "RATE_LIMITED") return null;
  throw error;
}

/**
 * Returns null for InvalidInputError (an unknown filter), so that nothing is applied; the list itself shows the error.
 * @throws any other error
 */
function ignoreInvalidInput(error: unknown): null {
  if (error instanceof InvalidInputError) return null;
  throw error;
}

/** Applies an action without script: redirects back to the list, with the result in its address. */
export async function applyBulkActionAndRedirect(form: FormData): Promise<void> {
  const action = parseBulkAction(form);
  const path = parseNextPath(form.get("path")) ?? "/inbox";
  const query = new URLSearchParams(String(form.get("view") ?? ""));
  if (!action) redirect(`${path}?${query}`);
  const ticket = form.get("ticket");
  const isOtherUser = isOtherUsersTicket(ticket, await getActorOrRedirectToSignIn());
  if (form.get("all") && !isSingleRowAction(form) && !isOtherUser) {
    const after = await performPartAndBuildQuery(form, action, query).catch(ignoreInvalidInput);
    redirect(`${path}?${after ?? query}`);
  }
  const { done, failed } = await performOnRows(action, await listChosenRows(form), ticket);
  query.set("done", String(done.length));
  query.set("failed", failed.map(({ id, why }) => `${id}:${why}`).join(","));
  redirect(`${path}?${query}`);
}

/** Applies an action to all matching rows, a hundred per request; the URL says how to continue with the rest. */
async function performPartAndBuildQuery(
  form: FormData,
  action: BulkAction,
  query: URLSearchParams,
): Promise<URLSearchParams> {
  const after = form.get("after");
  const before = Number(form.get("sofar") ?? 0) || 0;
  const part = await performOnMatchingPart(
    action,
    readMatchingRowsQueryFromForm(form),
    typeof after === "string" && after ? after : null,
  );
  query.set("done", String(before + part.done));
  query.set("failed", part.failed.map(({ id, why }) => `${id}:${why}`).join(","));
  if (part.next !== null || part.wait) query.set("rest", `${formatActionValue(action)} ${part.next ?? ""}`);
  return query;
}

/** Formats an action as the value of its button. */
function formatActionValue(action: BulkAction): string {
  if (action.do === "assign") return `assign:${action.to}`;
  return action.do === "severity" ? `severity:${action.severity}` : action.do;
}

/** Parses the action from the pressed button's value ("assign:me", a row's "pin~…") and the form's fields. */
function parseBulkAction(form: FormData): BulkAction | undefined {
  const [name = "", to] = String(form.get("do") ?? "")
    .split("~", 1)
    .join("")
    .split(":");
  const actionInput = {
    do: name,
    to: to ?? form.get("to"),
    severity: to ?? form.get("severity"),
    state: form.get("state"),
  };
  return bulkActionSchema.safeParse(actionInput).data;
}

async function listChosenRows(form: FormData): Promise<IncidentRowSnapshot[]> {
  return isSingleRowAction(form)
    ? readIncidentRowSnapshots(form, String(form.get("do")).split("~"))
    : loadSelectedIncidentRowSnapshots(form);
}

/** A row's own button applies to that row, whatever is checked. */
const isSingleRowAction = (form: FormData): boolean => String(form.get("do") ?? "").includes("~");

async function performOnRows(
  action: BulkAction,
  rows: readonly IncidentRowSnapshot[],
  ticket: unknown,
): Promise<BulkActionResult> {
  const actor = await getActorOrRedirectToSignIn();
  const { id: me } = actor;
  const outcome: BulkActionResult = { done: [], failed: [] };
  if (isOtherUsersTicket(ticket, actor))
    return { ...outcome, failed: rows.map(({ id }) => ({ id, why: "SOMEBODY_ELSE" })) };
  for (const row of rows) {
    const result = await performOnRow(action, row, me);
    if (typeof result === "string") outcome.failed.push({ id: row.id, why: result });
    else outcome.done.push({ id: row.id, at: result.at });
  }
  return outcome;
}

/** Returns whether another tab has signed in as somebody else since the page was rendered. */
function isOtherUsersTicket(ticket: unknown, actor: Actor): boolean {
  const writer = typeof ticket === "string" ? readFormTicketWriterId(ticket) : null;
  return writer !== null && writer !== actor.id;
}

type RowSuccess = { at: string };

async function performOnRow(
  action: BulkAction,
  row: IncidentRowSnapshot,
  me: string,
): Promise<RowSuccess | BulkFailureReason> {
  const change = async (input: IncidentChanges) => {
    const result = await submitChange(
      submitFormToOperation(updateIncident, toPathParams(row), buildVersionForm(row), () => input),
    );
    return result === "CONFLICT" && (await hasValues(row, input)) ? "DONE_BEFORE" : result;
  };
  switch (action.do) {
    case "assign":
      return change({ assignedResponderId: action.to === "me" ? me : action.to || null });
    case "acknowledge":
      return row.state === "submitted" ? change({ state: "acknowledged" }) : "ANSWERED";
    case "undo":
      return submitChange(
        submitFormToOperation(undoIncidentChange, toPathParams(row), buildVersionForm(row)),
      );
    case "severity":
      return change({ severity: action.severity || null });
    case "state": {
      const { state, notes, assignee } = action;
      const input = { state, notes, assignedToUserId: assignee };
      return submitChange(
        submitFormToOperation(changeIncidentState, toPathParams(row), buildVersionForm(row), () => input),
      );
    }
    default:
      return changePersonalMarker(action.do, row);
  }
}

type IncidentChanges = Partial<Pick<Incident, "assignedResponderId" | "state" | "severity">>;

/** Returns whether the incident already has the requested values. */
async function hasValues(row: IncidentRowSnapshot, expected: IncidentChanges): Promise<boolean> {
  const found = await loadOptionalPageData(showIncident, toPathParams(row)).catch(() => null);
  if (!found) return false;
  return Object.entries(expected).every(
    ([name, value]) => found.incident[name as keyof IncidentChanges] === value,
  );
}

/** Changes the current user's pin or unread marker, which leaves the incident unchanged. */
async function changePersonalMarker(
  how: "pin" | "unpin" | "unread" | "read",
  row: IncidentRowSnapshot,
): Promise<RowSuccess | BulkFailureReason> {
  const one = { incidentId: row.id, eventId: row.eventId };
  const nothing = new FormData();
  const marked = {
    pin: () => submitFormToOperation(pinIncident, {}, nothing, () => one),
    unpin: () => submitFormToOperation(unpinIncident, { incidentId: row.id }, nothing),
    unread: () => submitFormToOperation(markIncidentUnread, {}, nothing, () => one),
    read: () => submitFormToOperation(unmarkIncidentUnread, { incidentId: row.id }, nothing),
  };
  const result = await marked[how]();
  return result.ok ? { at: row.at } : toReason(result.code);
}

async function submitChange(
  submitting: Promise<FormResult<{ incident: { updatedAt: string } }>>,
): Promise<RowSuccess | BulkFailureReason> {
  const result = await submitting;
  return result.ok ? { at: result.result.incident.updatedAt } : toReason(result.code);
}

const toReason = (code: string): BulkFailureReason =>
  BULK_FAILURE_REASONS.find((reason) => reason === code) ?? "OTHER";

const toPathParams = ({ slug, id }: IncidentRowSnapshot) => ({ slug, incidentId: id });

function buildVersionForm({ at }: IncidentRowSnapshot): FormData {
  const form = new FormData();
  form.set("ifMatch", at);
  return form;
}

/** Saves the list as a view with a name, and redirects to it. */
export async function saveViewAction(_: FormState, form: FormData): Promise<FormState> {
  const saved = await submitFormToOperation(saveView, {}, form, ({ name, query }) => ({ name, query }));
  if (!saved.ok) return saved.state;
  redirect(buildReplacedFiltersHref("/inbox", {}, parseSavedViewQuery(saved.result.view.query)));
}

/** Removes a saved view. One that is already removed is not an error. */
export async function removeViewAction(form: FormData): Promise<void> {
  const { viewId = "", path } = readFormValues(form);
  await submitFormToOperation(removeView, { viewId }, form);
  redirect(parseNextPath(path ?? null) ?? "/inbox");
}

const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Saves the list's density on this device, and the single-key shortcuts setting in the account. */
export async function saveDensityOrShortcutsAction(form: FormData): Promise<void> {
  const { prefer, value = "", path } = readFormValues(form);
  if (prefer === "keys")
    await submitFormToOperation(changeProfile, {}, form, () => ({ singleKeys: value !== "off" }));
  if (prefer === "density" && /^[a-z]{1,12}$/.test(value) && !isCrossSiteRequest("POST", await headers()))
    (await cookies()).set(DENSITY_COOKIE, value, {
      httpOnly: true,
      sameSite: "lax",
      secure: env().baseUrl.startsWith("https:"),
      path: "/",
      maxAge: ONE_YEAR_SECONDS,
    });
  redirect(parseNextPath(path ?? null) ?? "/inbox");
}
