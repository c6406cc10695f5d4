import { createHash, randomBytes } from "node:crypto";
import { sealData, unsealData } from "iron-session";
import { LRUCache } from "lru-cache";
import { computeLastUsePeriodStart } from "#lib/accounts/last-use.ts";
import { createExpiredSealedCookies } from "#lib/crypto/sealed-cookie.ts";
import type { Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { loadSessionCookieKeys } from "#lib/crypto/secrets.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * Sessions are rows; the cookie, sealed with iron-session, carries only a random token whose SHA-256 is stored
 * (contract 4.3). A copied cookie stops working when the row is deleted.
 */

/** Returns `__Host-session` with Secure when BASE_URL is https, `session` otherwise (contract 4.3). */
export const getSessionCookieName = (): string => (env().https ? "__Host-session" : "session");

export type CookieToSet = {
  name: string;
  value: string;
  maxAge: number;
  secure: boolean;
  /** Whether the page's script may read it: it holds nothing that opens anything. */
  readableByScript?: true;
};

/**
 * Refuses a call whose response can't set cookies: signing in would create a session that nobody can use.
 * @throws AppError CSRF_REJECTED
 */
export function assertSameOriginToSetCookies({
  fromOtherOrigin,
}: Pick<OperationCall, "fromOtherOrigin">): void {
  if (fromOtherOrigin) throw new AppError("CSRF_REJECTED", "crossSiteRequest");
}

/** Creates a session and returns the cookie that carries its token. Each sign-in gets a new token. */
export async function createSession(tx: Tx, userId: string, userAgent: string | null): Promise<CookieToSet> {
  const token = randomBytes(32).toString("base64url");
  await tx.session.create({
    data: {
      tokenHash: hashToken(token),
      userId,
      userAgent: userAgent?.slice(0, 300) ?? null,
      lastUsedAt: computeLastUsePeriodStart(),
      expiresAt: new Date(Date.now() + env().SESSION_ABSOLUTE_SECONDS * 1000),
    },
    select: { id: true },
  });
  return sealSessionCookie(token);
}

/** Returns the cookie for a token, sealed with the newest key. */
export async function sealSessionCookie(token: string): Promise<CookieToSet> {
  const { SESSION_ABSOLUTE_SECONDS, https } = env();
  const [password] = loadSessionCookieKeys(env()) as [string];
  const value = await sealData({ t: token }, { password, ttl: SESSION_ABSOLUTE_SECONDS });
  return { name: getSessionCookieName(), value, maxAge: SESSION_ABSOLUTE_SECONDS, secure: https };
}

/** Returns a cookie that deletes the session cookie. */
export const createExpiredSessionCookie = (): CookieToSet => ({
  name: getSessionCookieName(),
  value: "",
  maxAge: 0,
  secure: env().https,
});

/** Returns the cookies that sign a device out and close what is open on it without a session. */
export const createSignOutCookies = (): CookieToSet[] => [
  createExpiredSessionCookie(),
  ...createExpiredSealedCookies(),
];

/** Revokes one session. @returns whether it existed */
export async function revokeSession(tx: Tx, sessionId: string): Promise<boolean> {
  return (await tx.session.deleteMany({ where: { id: sessionId } })).count > 0;
}

/**
 * Revokes every session of a user except the given one, every API token, and a pending change of address: an intruder
 * with the old password may have created one of these and would use it to come back (password reset and change,
 * contract 4.4).
 */
export async function revokeOtherSessionsTokensAndEmailChange(
  tx: Tx,
  userId: string,
  exceptSessionId?: string,
): Promise<void> {
  await revokeUserSessionsExcept(tx, userId, exceptSessionId);
  await tx.apiToken.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
}

/** Revokes every session of a user except the given one. */
export async function revokeUserSessionsExcept(
  tx: Tx,
  userId: string,
  exceptSessionId?: string,
): Promise<void> {
  await tx.session.deleteMany({
    where: { userId, ...(exceptSessionId ? { NOT: { id: exceptSessionId } } : {}) },
  });
}

/**
 * Returns the token inside a cookie, or null: a malformed, foreign, expired or oversize cookie means an anonymous
 * visitor, never an error (contract 4.3). `stale` is set when an older key sealed the cookie.
 */
export async function unsealSessionCookie(
  value: string | undefined,
): Promise<{ token: string; stale: boolean } | null> {
  if (!value || value.length > 2000) return null;
  const cached = tokenCache.get(value);
  if (cached) return cached;
  const keys = loadSessionCookieKeys(env());
  for (const [index, password] of keys.entries()) {
    const token = await unsealToken(value, password);
    if (!token) continue;
    const opened = { token, stale: index > 0 };
    tokenCache.set(value, opened);
    return opened;
  }
  return null;
}

/** iron-session throws on some malformed seals; these count as anonymous visitors. */
async function unsealToken(value: string, password: string): Promise<string | null> {
  try {
    const { t } = await unsealData<{ t?: unknown }>(value, { password, ttl: env().SESSION_ABSOLUTE_SECONDS });
    return typeof t === "string" && /^[A-Za-z0-9_-]{43}$/.test(t) ? t : null;
  } catch {
    return null;
  }
}

export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash("sha256").update(token).digest());

// Unsealing costs more than the session query and gives the same result each time, so a few thousand results are
// cached for a minute. Every request still checks in the database whether the session is active.
const tokenCache = new LRUCache<string, { token: string; stale: boolean }>({ max: 5000, ttl: 60_000 });
