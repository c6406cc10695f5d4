import { createDecipheriv, hkdfSync } from "node:crypto";

/** Sealed small secrets, opened with a data key that is given: for whoever may not read the environment. */

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** The key that seals for one purpose alone, made from the data key. */
export const deriveSealKey = (dataKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(dataKey, "base64url"), "", `heed:${purpose}`, 32));

/** @throws Error when it was changed, or sealed with another key or for another purpose */
export function openSealedText(dataKey: string, purpose: string, bytes: Uint8Array): string {
  const [nonce, tag, sealed] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  const decipher = createDecipheriv("aes-256-gcm", deriveSealKey(dataKey, purpose), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}
