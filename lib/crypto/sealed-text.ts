import { createCipheriv, randomBytes } from "node:crypto";
import { env } from "#lib/env.ts";
import { deriveSealKey, NONCE_BYTES, openSealedText } from "#lib/crypto/open-sealed.ts";
import { dataKey } from "#lib/crypto/secrets.ts";

/**
 * Seals a small secret for its column with AES-256-GCM. The key is derived from the data key for this purpose alone
 * (HKDF), so that what was sealed for one purpose opens for no other.
 * @param purpose a fixed word such as `webhook`; the same one opens it
 * @returns nonce, tag and sealed text
 */
export function sealText(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", deriveSealKey(dataKey(env()), purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/**
 * Opens what `sealText` sealed for the same purpose.
 * @throws Error when the bytes were changed, or sealed with another key
 */
export const openText = (purpose: string, bytes: Uint8Array): string =>
  openSealedText(dataKey(env()), purpose, bytes);
