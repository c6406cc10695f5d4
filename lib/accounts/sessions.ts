import { createHash, randomBytes } from "node:crypto";
import { sealData, unsealData } from "iron-session";
import { currentPeriodStart } from "#lib/accounts/last-use.ts";
import type { Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { sessionKeys } from "#lib/crypto/secrets.ts";

/**
 * Sessions are rows; the cookie, sealed with iron-session, carries only a random token whose SHA-256 is
 * stored (contract 4.3). A copied cookie stops working with its row.
 */

/** `__Host-session` with Secure when BASE_URL is https, `session` otherwise (contract 4.3). */
export const sessionCookieName = (): string => (env().https ? "__Host-session" : "session");

export type SessionCookie = { name: string; value: string; maxAge: number; secure: boolean };

/** Opens a session for a user and gives the cookie that carries it. The token is new at every sign-in. */
export async function createSession(
  tx: Tx,
  userId: string,
  userAgent: string | null,
): Promise<SessionCookie> {
  const token = randomBytes(32).toString("base64url");
  await tx.session.create({
    data: {
      tokenHash: hashToken(token),
      userId,
      userAgent: userAgent?.slice(0, 300) ?? null,
      lastUsedAt: currentPeriodStart(),
      expiresAt: new Date(Date.now() + env().SESSION_ABSOLUTE_SECONDS * 1000),
    },
    select: { id: true },
  });
  return sealSessionCookie(token);
}

/** The cookie for a token, sealed with the newest key. */
export async function sealSessionCookie(token: string): Promise<SessionCookie> {
  const { SESSION_ABSOLUTE_SECONDS, https } = env();
  const [password] = sessionKeys(env()) as [string];
  const value = await sealData({ t: token }, { password, ttl: SESSION_ABSOLUTE_SECONDS });
  return { name: sessionCookieName(), value, maxAge: SESSION_ABSOLUTE_SECONDS, secure: https };
}

/** The cookie that removes the session's. */
export const expiredSessionCookie = (): SessionCookie => ({
  name: sessionCookieName(),
  value: "",
  maxAge: 0,
  secure: env().https,
});

/** Ends one session. @returns whether it was there. */
export async function revokeSession(tx: Tx, sessionId: string): Promise<boolean> {
  return (await tx.session.deleteMany({ where: { id: sessionId } })).count > 0;
}

/**
 * Ends every session of a user but the given one, every API token, and a change of address that waits: whoever had got in
 * with the old password may have made one, and would come back by it (password reset and change, contract 4.4).
 */
export async function revokeOtherAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void> {
  await revokeSessions(tx, userId, keptSessionId);
  await tx.apiToken.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
}

/** Ends every session of a user, but the given one. */
export async function revokeSessions(tx: Tx, userId: string, keptSessionId?: string): Promise<void> {
  await tx.session.deleteMany({
    where: { userId, ...(keptSessionId ? { NOT: { id: keptSessionId } } : {}) },
  });
}

/**
 * The token inside a cookie, or null: a malformed, foreign, expired or oversize cookie is an anonymous
 * visitor, never an error (contract 4.3). `stale` is set when an older key sealed it.
 */
export async function readSessionToken(
  value: string | undefined,
): Promise<{ token: string; stale: boolean } | null> {
  if (!value || value.length > 2000) return null;
  const cached = tokenCache.get(value);
  if (cached && cached.until > Date.now()) return cached;
  const keys = sessionKeys(env());
  for (const [index, password] of keys.entries()) {
    const token = await unsealToken(value, password);
    if (token) return cacheToken(value, { token, stale: index > 0 });
  }
  return null;
}

/** iron-session throws on some malformed seals; they are anonymous visitors. */
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

// Opening a seal costs more than the query behind it, and gives the same answer each time; so the last
// few thousand are kept for a minute. Whether the session still lives is asked of the database every time.
type CachedToken = { token: string; stale: boolean; until: number };
const tokenCache = new Map<string, CachedToken>();

function cacheToken(value: string, found: { token: string; stale: boolean }): CachedToken {
  const entry = { ...found, until: Date.now() + 60_000 };
  tokenCache.set(value, entry);
  if (tokenCache.size > 5000)
    for (const oldest of [...tokenCache.keys()].slice(0, 1000)) tokenCache.delete(oldest);
  return entry;
}
