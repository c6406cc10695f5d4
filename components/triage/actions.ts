"use server";

import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { changeProfile } from "#lib/own-account/operations.ts";
import { submit, valuesOf, type Submitted } from "#lib/http/form.ts";
import { userOfTicket } from "#lib/http/form-drafts.ts";
import { isCrossSite } from "#lib/http/cross-site-guard.ts";
import { sameSitePath } from "#lib/http/next-path.ts";
import { mustBeSignedIn, showIfThere } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { env } from "#lib/env.ts";
import { AppError, InvalidInput, unauthenticated } from "#lib/operation/errors.ts";
import { changeIncident, changeIncidentState, showIncident } from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { pinIncident, unpinIncident } from "#lib/pins/operations.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { removeView, saveView } from "#lib/saved-views/operations.ts";
import { markIncidentUnread, unmarkIncidentUnread } from "#lib/triage/operations.ts";
import { MOST_AT_ONCE } from "#lib/triage/schema.ts";
import { DeedSent, MatchingSent, RowSent } from "./deed-schema.ts";
import {
  type Deed,
  type Matching,
  type Outcome,
  type PartOutcome,
  type Reason,
  REASONS,
  type RowRef,
} from "./deeds.ts";
import { DENSITY_COOKIE } from "./preferences.ts";
import { knownRows, matchingIn, partOf, rowsOfForm } from "./rows-of-form.ts";
import { filtersIn, only } from "./view.ts";

/**
 * Does one thing to rows of the list, one after the other, each through the operation that does it anywhere else; a row
 * that is refused stays as it is and is named. With script; the page is read again with the answer.
 */
export async function act(deed: unknown, rows: unknown, ticket: unknown): Promise<Outcome> {
  const known = z.array(RowSent).max(MOST_AT_ONCE).parse(rows);
  const outcome = await perform(DeedSent.parse(deed), known, ticket);
  refresh();
  return outcome;
}

/**
 * Does one thing to a hundred of all that match, behind a place; the page asks for part after part, so no request is
 * long. With script; the page is read again with the last part.
 */
export async function actOnPart(
  deed: unknown,
  matching: unknown,
  { after, ticket }: { after: unknown; ticket: unknown },
): Promise<PartOutcome> {
  const behind = z.string().max(100).nullable().parse(after);
  if (isSomebodyElses(ticket, await mustBeSignedIn())) throw unauthenticated();
  const part = await performPart(DeedSent.parse(deed), MatchingSent.parse(matching), behind);
  if (part.next === null && !part.wait) refresh();
  return part;
}

async function performPart(deed: Deed, matching: Matching, after: string | null): Promise<PartOutcome> {
  const { id: me } = await mustBeSignedIn();
  const part: PartOutcome = { done: 0, failed: [], next: after, wait: false };
  const found = await partOf(matching, after).catch(unlessLimited);
  if (!found) return { ...part, wait: true };
  const { rows, complete } = found;
  for (const row of rows) {
    const result = await performOne(deed, row, me);
    if (result === "RATE_LIMITED") return { ...part, wait: true };
    if (typeof result === "string") part.failed.push({ id: row.id, title: row.title, why: result });
    else part.done += 1;
    part.next = row.place;
  }
  return complete ? { ...part, next: null } : part;
}

/** @throws what isn't RATE_LIMITED */
function unlessLimited(error: unknown): null {
  if (error instanceof AppError && error.code === "RATE_LIMITED") return null;
  throw error;
}

/** Nothing is done to a list with a filter that nobody knows, which says so itself. @throws what isn't InvalidInput */
function unlessInvalid(error: unknown): null {
  if (error instanceof InvalidInput) return null;
  throw error;
}

/** The same without script: the list comes back, with what became of it in its address. */
export async function actAndReturn(form: FormData): Promise<void> {
  const deed = deedIn(form);
  const path = sameSitePath(form.get("path")) ?? "/inbox";
  const query = new URLSearchParams(String(form.get("view") ?? ""));
  if (!deed) redirect(`${path}?${query}`);
  const ticket = form.get("ticket");
  const others = isSomebodyElses(ticket, await mustBeSignedIn());
  if (form.get("all") && !isOfOneRow(form) && !others) {
    const after = await partAndAddress(form, deed, query).catch(unlessInvalid);
    redirect(`${path}?${after ?? query}`);
  }
  const { done, failed } = await perform(deed, await rowsIn(form), ticket);
  query.set("done", String(done.length));
  query.set("failed", failed.map(({ id, why }) => `${id}:${why}`).join(","));
  redirect(`${path}?${query}`);
}

/** Of all that match, a hundred a request; the address says how to go on with the rest. */
async function partAndAddress(form: FormData, deed: Deed, query: URLSearchParams): Promise<URLSearchParams> {
  const after = form.get("after");
  const before = Number(form.get("sofar") ?? 0) || 0;
  const part = await performPart(deed, matchingIn(form), typeof after === "string" && after ? after : null);
  query.set("done", String(before + part.done));
  query.set("failed", part.failed.map(({ id, why }) => `${id}:${why}`).join(","));
  if (part.next !== null || part.wait) query.set("rest", `${deedText(deed)} ${part.next ?? ""}`);
  return query;
}

/** A deed as a button names it. */
function deedText(deed: Deed): string {
  if (deed.do === "assign") return `assign:${deed.to}`;
  return deed.do === "severity" ? `severity:${deed.severity}` : deed.do;
}

/** A button names its deed, and its row where it belongs to one: "assign:me", "pin~…". */
function deedIn(form: FormData): Deed | undefined {
  const [name = "", to] = String(form.get("do") ?? "")
    .split("~", 1)
    .join("")
    .split(":");
  const given = {
    do: name,
    to: to ?? form.get("to"),
    severity: to ?? form.get("severity"),
    state: form.get("state"),
  };
  return DeedSent.safeParse(given).data;
}

async function rowsIn(form: FormData): Promise<RowRef[]> {
  const [, ...ofButton] = String(form.get("do") ?? "").split("~");
  return isOfOneRow(form) ? knownRows([ofButton.join("~")]) : rowsOfForm(form);
}

/** The button of a row means that row, whatever is ticked. */
const isOfOneRow = (form: FormData): boolean => String(form.get("do") ?? "").includes("~");

async function perform(deed: Deed, rows: readonly RowRef[], ticket: unknown): Promise<Outcome> {
  const actor = await mustBeSignedIn();
  const { id: me } = actor;
  const outcome: Outcome = { done: [], failed: [] };
  if (isSomebodyElses(ticket, actor))
    return { ...outcome, failed: rows.map(({ id }) => ({ id, why: "SOMEBODY_ELSE" })) };
  for (const row of rows) {
    const result = await performOne(deed, row, me);
    if (typeof result === "string") outcome.failed.push({ id: row.id, why: result });
    else outcome.done.push({ id: row.id, at: result.at });
  }
  return outcome;
}

/** Nothing is done in the name of who has signed in in another tab since the page was made. */
function isSomebodyElses(ticket: unknown, actor: Actor): boolean {
  const writer = typeof ticket === "string" ? userOfTicket(ticket) : null;
  return writer !== null && writer !== actor.id;
}

type Done = { at: string };

async function performOne(deed: Deed, row: RowRef, me: string): Promise<Done | Reason> {
  const change = async (input: Changes) => {
    const result = await sent(submit(changeIncident, pathOf(row), versionOf(row), () => input));
    return result === "CONFLICT" && (await isSo(row, input)) ? "DONE_BEFORE" : result;
  };
  switch (deed.do) {
    case "assign":
      return change({ assignedResponderId: deed.to === "me" ? me : deed.to || null });
    case "acknowledge":
      return row.state === "submitted" ? change({ state: "acknowledged" }) : "ANSWERED";
    case "restore":
      return change({ state: deed.state });
    case "severity":
      return change({ severity: deed.severity || null });
    case "state": {
      const { state, notes, assignee } = deed;
      const input = { state, notes, assignedToUserId: assignee };
      return sent(submit(changeIncidentState, pathOf(row), versionOf(row), () => input));
    }
    default:
      return mark(deed.do, row);
  }
}

type Changes = Partial<Pick<Incident, "assignedResponderId" | "state" | "severity">>;

/** Is the report by now as it was wanted? */
async function isSo(row: RowRef, wanted: Changes): Promise<boolean> {
  const found = await showIfThere(showIncident, pathOf(row)).catch(() => null);
  if (!found) return false;
  return Object.entries(wanted).every(([name, value]) => found.incident[name as keyof Changes] === value);
}

/** What is one's own and leaves the record alone. */
async function mark(how: "pin" | "unpin" | "unread" | "read", row: RowRef): Promise<Done | Reason> {
  const one = { incidentId: row.id, eventId: row.eventId };
  const nothing = new FormData();
  const marked = {
    pin: () => submit(pinIncident, {}, nothing, () => one),
    unpin: () => submit(unpinIncident, { incidentId: row.id }, nothing),
    unread: () => submit(markIncidentUnread, {}, nothing, () => one),
    read: () => submit(unmarkIncidentUnread, { incidentId: row.id }, nothing),
  };
  const result = await marked[how]();
  return result.ok ? { at: row.at } : reasonOf(result.code);
}

async function sent(
  submitting: Promise<Submitted<{ incident: { updatedAt: string } }>>,
): Promise<Done | Reason> {
  const result = await submitting;
  return result.ok ? { at: result.result.incident.updatedAt } : reasonOf(result.code);
}

const reasonOf = (code: string): Reason => REASONS.find((reason) => reason === code) ?? "OTHER";

const pathOf = ({ slug, id }: RowRef) => ({ slug, incidentId: id });

function versionOf({ at }: RowRef): FormData {
  const form = new FormData();
  form.set("ifMatch", at);
  return form;
}

/** Keeps the list as it stands under a name, and goes to it. */
export async function saveViewAction(_: FormState, form: FormData): Promise<FormState> {
  const saved = await submit(saveView, {}, form, ({ name, query }) => ({ name, query }));
  if (!saved.ok) return saved.state;
  redirect(only("/inbox", {}, filtersIn(saved.result.view.query)));
}

/** A view that somebody has removed meanwhile is removed. */
export async function removeViewAction(form: FormData): Promise<void> {
  const { viewId = "", path } = valuesOf(form);
  await submit(removeView, { viewId }, form);
  redirect(sameSitePath(path ?? null) ?? "/inbox");
}

const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/** How the list looks on this device; whether single keys do something, in the account. */
export async function preferAction(form: FormData): Promise<void> {
  const { prefer, value = "", path } = valuesOf(form);
  if (prefer === "keys") await submit(changeProfile, {}, form, () => ({ singleKeys: value !== "off" }));
  if (prefer === "density" && /^[a-z]{1,12}$/.test(value) && !isCrossSite("POST", await headers()))
    (await cookies()).set(DENSITY_COOKIE, value, {
      httpOnly: true,
      sameSite: "lax",
      secure: env().baseUrl.startsWith("https:"),
      path: "/",
      maxAge: ONE_YEAR_SECONDS,
    });
  redirect(sameSitePath(path ?? null) ?? "/inbox");
}
