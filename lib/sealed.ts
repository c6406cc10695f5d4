import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { env } from "#lib/env.ts";
import { dataKey } from "#lib/secrets.ts";

const NONCE = 12;
const TAG = 16;

/**
 * Seals a small secret for its column: AES-256-GCM with a key made from the data key for this purpose alone
 * (HKDF), so that what was sealed for one purpose opens for no other.
 * @param purpose a fixed word such as `webhook`; the same one opens it.
 * @returns nonce, tag and sealed text.
 */
export function sealText(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", keyFor(purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/** Opens what sealText sealed for the same purpose. @throws Error when it was changed, or sealed with another key. */
export function openText(purpose: string, bytes: Uint8Array): string {
  const [nonce, tag, sealed] = [
    bytes.subarray(0, NONCE),
    bytes.subarray(NONCE, NONCE + TAG),
    bytes.subarray(NONCE + TAG),
  ];
  const decipher = createDecipheriv("aes-256-gcm", keyFor(purpose), nonce, { authTagLength: TAG });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}

const keyFor = (purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(dataKey(env()), "base64url"), "", `heed:${purpose}`, 32));
