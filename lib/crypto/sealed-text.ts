import { createCipheriv, randomBytes } from "node:crypto";
import { env } from "#lib/env.ts";
import { deriveKey, NONCE_BYTES, openSealedText, type MasterKey } from "#lib/crypto/open-sealed.ts";
import { loadDataKey } from "#lib/crypto/secrets.ts";

/**
 * Seals a small text, such as a secret that a column stores, with AES-256-GCM. The key is derived from the master key
 * for this purpose alone (HKDF), so that what was sealed for one purpose opens for no other.
 * @param purpose such as `webhook`; the same one opens the text
 * @param key the data key if omitted
 * @returns nonce, tag and sealed text
 */
export function sealText(
  purpose: string,
  text: string,
  key: MasterKey = loadDataKey(env()),
): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(key, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/**
 * Opens what `sealText` sealed for the same purpose with the same key.
 * @throws Error when the bytes were changed, or sealed with another key
 */
export const unsealText = (purpose: string, bytes: Uint8Array, key: MasterKey = loadDataKey(env())): string =>
  openSealedText(key, purpose, bytes);

/** Like `unsealText`, for bytes that anybody may have sent; null when they don't open. */
export function tryUnsealText(
  purpose: string,
  bytes: Uint8Array,
  key: MasterKey = loadDataKey(env()),
): string | null {
  try {
    return unsealText(purpose, bytes, key);
  } catch {
    return null;
  }
}
