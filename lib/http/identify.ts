import { findSessionActor, findApiTokenActor, type EventPathParams } from "#lib/accounts/actor-queries.ts";
import {
  getSessionCookieName,
  sealSessionCookie,
  unsealSessionCookie,
  type CookieToSet,
} from "#lib/accounts/sessions.ts";
import { findServiceTokenActor, hasServiceTokenFormat } from "#lib/accounts/service-token-actor.ts";
import { hasApiTokenFormat } from "#lib/accounts/tokens.ts";
import type { ApiRequestHeaders } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isWriteInTokenScope } from "#lib/operation/token-scope.ts";

/** The credentials of a request: the value of the session cookie, and the `Authorization` header. */
export type Credentials = { cookie: string | undefined; authorization: string | null };

export const readCredentials = (headers: ApiRequestHeaders): Credentials => ({
  cookie: readCookie(headers.get("cookie"), getSessionCookieName()),
  authorization: headers.get("authorization"),
});

/**
 * Identifies the sender of a request. With a Bearer token, valid or not, the cookie is ignored. Without one, returns
 * the user of the session, and a newly sealed cookie when an older key had sealed it (contract 4.3).
 * @param eventScope loads only the roles in this event; a token always loads all of its roles
 */
export async function identifyActor(
  { cookie, authorization }: Credentials,
  eventScope?: EventPathParams,
): Promise<{ actor: Actor | null; renewed?: CookieToSet }> {
  const bearer = readBearerToken(authorization);
  if (bearer !== undefined) return { actor: await findBearerActor(bearer) };
  const opened = await unsealSessionCookie(cookie);
  if (!opened) return { actor: null };
  const actor = await findSessionActor(opened.token, eventScope);
  return actor && opened.stale ? { actor, renewed: await sealSessionCookie(opened.token) } : { actor };
}

async function findBearerActor(bearer: string): Promise<Actor | null> {
  if (hasServiceTokenFormat(bearer)) return findServiceTokenActor(bearer);
  return hasApiTokenFormat(bearer) ? findApiTokenActor(bearer) : null;
}

/** Returns the credentials after the scheme Bearer, possibly an empty text; undefined for another scheme or none. */
export function readBearerToken(authorization: string | null): string | undefined {
  const given = authorization?.trim() ?? "";
  const [scheme = ""] = given.split(" ", 1);
  return scheme.toLowerCase() === "bearer" ? given.slice(scheme.length).trim() : undefined;
}

/**
 * Refuses every write by a token that only reads or exports, whatever the operation.
 * @throws AppError TOKEN_SCOPE
 */
export function refuseWriteByReadToken(actor: Actor | null, method: string): void {
  if (actor && !isWriteInTokenScope(actor) && method !== "GET" && method !== "HEAD")
    throw new AppError("TOKEN_SCOPE", "tokenReadOnly");
}

/** Returns the cookie of that name from a Cookie header; the first if there are several. */
export function readCookie(header: string | null, name: string): string | undefined {
  if (!header || header.length > 16_384) return undefined;
  for (const part of header.split(";")) {
    const pair = part.trimStart();
    if (pair.startsWith(`${name}=`)) return decodeCookieValue(pair.slice(name.length + 1).trimEnd());
  }
  return undefined;
}

function decodeCookieValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** Builds a Set-Cookie header: HttpOnly unless script may read it, SameSite=Lax, Path=/ (contract 4.3). */
export function formatSetCookieHeader(cookie: CookieToSet): string {
  const parts = [`${cookie.name}=${encodeURIComponent(cookie.value)}`, "Path=/", `Max-Age=${cookie.maxAge}`];
  if (cookie.maxAge === 0) parts.push("Expires=Thu, 01 Jan 1970 00:00:00 GMT");
  if (!cookie.readableByScript) parts.push("HttpOnly");
  parts.push("SameSite=Lax");
  if (cookie.secure) parts.push("Secure");
  return parts.join("; ");
}
