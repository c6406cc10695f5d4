import { createHmac, hkdfSync } from "node:crypto";
import { env, getOrCreateInMemorySecretKey } from "#lib/env.ts";
import { loadDataKey, loadSessionCookieKeys } from "#lib/crypto/secrets.ts";

/**
 * Computes HMAC-SHA-256 with a key derived from the data key for this purpose alone. For values that are easy to
 * guess: without the key, the rows reveal nothing.
 * @param purpose a fixed word such as `device`
 */
export function computeKeyedHash(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac("sha256", deriveKey(purpose)).update(text).digest());
}

/**
 * Like `computeKeyedHash`, with a key derived from the session key, which all machines of an installation share and
 * which may be changed: for shared counters that no one has to find again later.
 */
export function computeSessionKeyedHash(purpose: string, text: string): string {
  const key = deriveKey(`shared:${purpose}`, () => loadSessionCookieKeys(env())[0] ?? "");
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Derives the keys that seal one kind of cookie from the keys of session cookies, newest first. */
export const deriveCookieSealingKeys = (purpose: string): string[] =>
  loadSessionCookieKeys(env()).map((secret, index) =>
    deriveKey(`sealing:${purpose}`, () => secret, `${index}`).toString("base64url"),
  );

/**
 * Like `computeKeyedHash`, with a key that is not in the data folder: for rows that must not be traceable to anyone
 * (docs/decisions/029). The key is derived from `SESSION_KEYS` where machines share these; otherwise each start
 * generates one, which all its processes share and which is lost when they end.
 */
export const computeHashWithKeyNotOnDisk = (purpose: string, text: string): string =>
  createHmac("sha256", deriveKeyNotOnDisk(purpose)).update(text).digest("base64url");

/** Returns the key of `computeHashWithKeyNotOnDisk` itself, 32 bytes, for sealing. */
export const deriveKeyNotOnDisk = (purpose: string): Buffer =>
  deriveKey(
    `memory:${purpose}`,
    () => env().SESSION_KEYS?.split(",")[0]?.trim() ?? getOrCreateInMemorySecretKey(),
  );

/** The keys don't change while the process runs. */
const keyCache = new Map<string, Buffer>();

function deriveKey(purpose: string, secret = () => loadDataKey(env()), keyIndex = ""): Buffer {
  const cached = keyCache.get(purpose + keyIndex);
  if (cached) return cached;
  const derived = hkdfSync("sha256", Buffer.from(secret(), "base64url"), "", `heed:${purpose}`, 32);
  const key = Buffer.from(derived);
  keyCache.set(purpose + keyIndex, key);
  return key;
}
