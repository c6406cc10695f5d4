import { createHmac, hkdfSync } from "node:crypto";
import { env, memoryKey } from "#lib/env.ts";
import { dataKey, sessionKeys } from "#lib/crypto/secrets.ts";

/**
 * HMAC-SHA-256 with a key made from the data key for this purpose alone: for what is too easy to guess for a bare
 * hash, so that the rows tell nothing without the key.
 * @param purpose a fixed word such as `device`
 */
export function keyedHash(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac("sha256", deriveKey(purpose)).update(text).digest());
}

/**
 * The same with a key made from the one that seals sessions, which all machines of an installation share, and which may
 * be changed: for what they count together and nobody has to find again later.
 */
export function sharedHash(purpose: string, text: string): string {
  const key = deriveKey(`shared:${purpose}`, () => sessionKeys(env())[0] ?? "");
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Keys for one purpose that are made from those that seal sessions, newest first: for what else a cookie holds. */
export const deriveCookieKeys = (purpose: string): string[] =>
  sessionKeys(env()).map((secret, index) =>
    deriveKey(`sealing:${purpose}`, () => secret, `${index}`).toString("base64url"),
  );

/**
 * The same with a key that is not in the data folder: for what the database holds and must lead back to nobody
 * (docs/decisions/029). Where machines share `SESSION_KEYS`, it is made from these; else a start makes it, all processes
 * of the start know it, and it ends with them.
 */
export const memoryHash = (purpose: string, text: string): string =>
  createHmac("sha256", memoryKeyFor(purpose)).update(text).digest("base64url");

/** The key itself, 32 bytes, for what is sealed in that way. */
export const memoryKeyFor = (purpose: string): Buffer =>
  deriveKey(`memory:${purpose}`, () => env().SESSION_KEYS?.split(",")[0]?.trim() ?? memoryKey());

/** The keys stay the same as long as the process lives. */
const keyCache = new Map<string, Buffer>();

function deriveKey(purpose: string, secret = () => dataKey(env()), keyIndex = ""): Buffer {
  const cached = keyCache.get(purpose + keyIndex);
  if (cached) return cached;
  const derived = hkdfSync("sha256", Buffer.from(secret(), "base64url"), "", `heed:${purpose}`, 32);
  const key = Buffer.from(derived);
  keyCache.set(purpose + keyIndex, key);
  return key;
}
