import { findActor } from "#lib/accounts/actor.ts";
import { cookieName, sessionCookie, tokenFromCookie, type SessionCookie } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/policy.ts";

/** Who holds this session cookie, and a newly sealed cookie when an older key had sealed it (rulings R3). */
export async function identify(
  cookie: string | undefined,
): Promise<{ actor: Actor | null; renewed?: SessionCookie }> {
  const opened = await tokenFromCookie(cookie);
  if (!opened) return { actor: null };
  const actor = await findActor(opened.token);
  return actor && opened.stale ? { actor, renewed: await sessionCookie(opened.token) } : { actor };
}

/** The session cookie in a Cookie header; of several of that name the first. */
export function cookieFrom(header: string | null): string | undefined {
  if (!header || header.length > 16_384) return undefined;
  const name = `${cookieName()}=`;
  for (const part of header.split(";")) {
    const pair = part.trimStart();
    if (pair.startsWith(name)) return decode(pair.slice(name.length).trimEnd());
  }
  return undefined;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** A Set-Cookie header: HttpOnly, SameSite=Lax, Path=/ (rulings R3). */
export function setCookieHeader(cookie: SessionCookie): string {
  const parts = [`${cookie.name}=${encodeURIComponent(cookie.value)}`, "Path=/", `Max-Age=${cookie.maxAge}`];
  if (cookie.maxAge === 0) parts.push("Expires=Thu, 01 Jan 1970 00:00:00 GMT");
  parts.push("HttpOnly", "SameSite=Lax");
  if (cookie.secure) parts.push("Secure");
  return parts.join("; ");
}
