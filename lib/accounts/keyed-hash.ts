import { createHmac, hkdfSync } from "node:crypto";
import { env } from "#lib/env.ts";
import { dataKey } from "#lib/secrets.ts";

/**
 * HMAC-SHA-256 with a key made from the data key for this purpose alone: for what is too easy to guess for a bare
 * hash, so that the rows tell nothing without the key.
 * @param purpose a fixed word such as `device`
 */
export function keyedHash(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  const key = hkdfSync("sha256", Buffer.from(dataKey(env()), "base64url"), "", `heed:${purpose}`, 32);
  return new Uint8Array(createHmac("sha256", Buffer.from(key)).update(text).digest());
}
