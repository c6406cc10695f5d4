import type { Actor } from "#lib/operation/policy.ts";

/** Where to go after signing in, and back to after other forms. */

const MAX_PATH_LENGTH = 2000;

/**
 * A path of this site, as `?next=` may name it, or null. The sign-in pages themselves are refused: after signing in
 * they would lead in a circle. So is the way out, which would sign out again.
 */
export function parseNextPath(next: unknown): string | null {
  const path = parseSameSitePath(next);
  return path !== null && /^\/(login|register|leave)([/?#]|$)/.test(path) ? null : path;
}

/**
 * Any path of this site, or null. Anything that a browser could read as another site ("//elsewhere",
 * "/\elsewhere", with or without control characters between) is refused.
 */
export function parseSameSitePath(next: unknown): string | null {
  if (typeof next !== "string" || next.length > MAX_PATH_LENGTH) return null;
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  if (!/^\/(?![/\\])/.test(next) || /[\\\u0000-\u001f\u007f]/.test(next)) return null;
  if (!URL.canParse(next, "http://here.invalid")) return null;
  const url = new URL(next, "http://here.invalid");
  if (url.host !== "here.invalid" || url.pathname.startsWith("//")) return null;
  // The router's own mark on a link that was followed with script.
  if (url.searchParams.has("_rsc")) url.searchParams.delete("_rsc");
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Link to `path` that comes back to `next`, where there is one. */
export const addNextParameter = (path: string, next: string | null): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path;

/** Where somebody starts who asked for no page in particular: with what they are here for. */
export function findHomePath(
  actor: Pick<Actor, "systemAdmin" | "events" | "organizations" | "unverified">,
): string {
  if (actor.systemAdmin) return "/orgs";
  if (actor.events.length > 0) return "/inbox";
  // There they are told how to confirm their address.
  if (actor.unverified) return "/account";
  return actor.organizations.length > 0 ? "/orgs" : "/";
}
