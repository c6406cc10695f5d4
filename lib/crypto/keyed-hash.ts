import { createHmac } from "node:crypto";
import { env, getOrCreateInMemorySecretKey } from "#lib/env.ts";
import { deriveKey } from "#lib/crypto/open-sealed.ts";
import { loadDataKey, loadSessionCookieKeys } from "#lib/crypto/secrets.ts";

/**
 * Computes HMAC-SHA-256 with a key derived from the data key for this purpose alone. For values that are easy to
 * guess: without the key, the rows reveal nothing.
 * @param purpose a fixed word such as `device`
 */
export function computeKeyedHash(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    createHmac("sha256", deriveKey(loadDataKey(env()), purpose))
      .update(text)
      .digest(),
  );
}

/**
 * Like `computeKeyedHash`, with a key derived from the session key, which all machines of an installation share and
 * which may be changed: for shared counters that no one has to find again later.
 */
export function computeSessionKeyedHash(purpose: string, text: string): string {
  const key = deriveKey(loadSessionCookieKeys(env())[0] ?? "", `shared:${purpose}`);
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Derives the keys that seal one kind of cookie from the keys of session cookies, newest first. */
export const deriveCookieSealingKeys = (purpose: string): string[] =>
  loadSessionCookieKeys(env()).map((secret) => deriveKey(secret, `sealing:${purpose}`).toString("base64url"));

/**
 * Like `computeKeyedHash`, with a key that is not in the data folder: for rows that must not be traceable to anyone
 * (docs/decisions/029). The key is derived from `SESSION_KEYS` where machines share these; otherwise each start
 * generates one, which all its processes share and which is lost when they end.
 */
export const computeHashWithKeyNotOnDisk = (purpose: string, text: string): string =>
  createHmac("sha256", deriveKeyNotOnDisk(purpose)).update(text).digest("base64url");

/** Returns the key of `computeHashWithKeyNotOnDisk` itself, 32 bytes, for sealing. */
export const deriveKeyNotOnDisk = (purpose: string): Buffer =>
  deriveKey(env().SESSION_KEYS?.split(",")[0]?.trim() ?? getOrCreateInMemorySecretKey(), `memory:${purpose}`);
