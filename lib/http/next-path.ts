import { isSystemAdmin } from "#lib/operation/policy.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The path to open after signing in or submitting another form. */

const MAX_PATH_LENGTH = 2000;

/**
 * Parses the path of this site in `?next=`; null if invalid. Sign-in pages are refused, since signing in would lead
 * back to them, and so is signing out, which would end the new session.
 */
export function parseNextPath(next: unknown): string | null {
  const path = parseSameSitePath(next);
  return path !== null && /^\/(login|register|leave)([/?#]|$)/.test(path) ? null : path;
}

/**
 * Parses any path of this site; null if invalid. Refuses everything that a browser could read as another site
 * ("//elsewhere", "/\elsewhere", with or without control characters in between).
 */
export function parseSameSitePath(next: unknown): string | null {
  if (typeof next !== "string" || next.length > MAX_PATH_LENGTH) return null;
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  if (!/^\/(?![/\\])/.test(next) || /[\\\u0000-\u001f\u007f]/.test(next)) return null;
  if (!URL.canParse(next, "http://here.invalid")) return null;
  const url = new URL(next, "http://here.invalid");
  if (url.host !== "here.invalid" || url.pathname.startsWith("//")) return null;
  // Next's router adds this parameter to links that are followed with script.
  if (url.searchParams.has("_rsc")) url.searchParams.delete("_rsc");
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Returns a link to `path` that leads back to `next`, if given. */
export const addNextParameter = (path: string, next: string | null): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path;

/** Chooses, by a person's roles, the path of the page on which they start if they requested none. */
export function chooseHomePath(
  actor: Pick<Actor, "systemAdmin" | "events" | "organizations" | "unverified">,
): string {
  if (isSystemAdmin(actor)) return "/orgs";
  if (actor.events.length > 0) return "/inbox";
  // The account page tells them how to confirm their address.
  if (actor.unverified) return "/account";
  return actor.organizations.length > 0 ? "/orgs" : "/";
}
