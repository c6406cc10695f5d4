import type { IncomingMessage, ServerResponse } from "node:http";
import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";
import { createSealedDraftsCookie, SEALED_DRAFTS_STORED_COOKIE } from "#lib/design/sealed-draft-cookie.ts";

/** Adds the headers about what the browser stores for this site: what goes on signing out, and what stays. */
export function addBrowserStorageHeaders(request: IncomingMessage, response: ServerResponse): void {
  clearBrowserOnSignOut(request, response);
  renewSealedDraftsCookie(request, response);
}

const readSetCookies = (response: ServerResponse): string[] =>
  [response.getHeader("Set-Cookie") ?? []].flat().map(String);

const storesSealedDrafts = ({ headers }: IncomingMessage): boolean =>
  (headers.cookie ?? "").split(";").some((cookie) => cookie.trim() === `${SEALED_DRAFTS_STORED_COOKIE}=1`);

/**
 * Removes from the browser everything that it has stored for this site, including drafts, on signing out. A browser can
 * only remove all of it, so nothing is removed where sealed drafts wait to be sent, nor when something is opened after
 * the quick exit, which has removed what was stored before it.
 */
function clearBrowserOnSignOut(request: IncomingMessage, response: ServerResponse): void {
  const removed = readSetCookies(response).filter((cookie) => /^[^;=]+=;.*Max-Age=0\b/i.test(cookie));
  const isRemoved = (name: string) => removed.some((cookie) => cookie.startsWith(`${name}=;`));
  if (!isRemoved("__Host-session")) return;
  const keepsStorage = storesSealedDrafts(request) || isRemoved(QUICK_EXIT_COOKIE);
  response.setHeader("Clear-Site-Data", keepsStorage ? '"cache"' : '"cache", "storage"');
}

/**
 * Sets the cookie again that says that sealed drafts wait: Safari removes it after seven days if only the page has set
 * it. Only with pages and the response to a sent draft, since a response to anything else could arrive after the page
 * has removed the cookie with its last draft.
 */
function renewSealedDraftsCookie(request: IncomingMessage, response: ServerResponse): void {
  const isPage = /^text\/html\b/.test(String(response.getHeader("Content-Type") ?? ""));
  if (!storesSealedDrafts(request) || !(isPage || SENT_DRAFT_PATH.test(request.url ?? ""))) return;
  response.setHeader("Set-Cookie", [...readSetCookies(response), createSealedDraftsCookie(true)]);
}

const SENT_DRAFT_PATH = /\/intakes\/sealed(?:\?|$)/;
