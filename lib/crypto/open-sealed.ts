import { createDecipheriv, hkdfSync } from "node:crypto";

/** Opens small sealed secrets with a given data key: for callers that may not read the environment. */

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Derives from the data key the key that seals for one purpose. */
export const deriveSealKey = (dataKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(dataKey, "base64url"), "", `heed:${purpose}`, 32));

/** @throws Error when the bytes were changed, or sealed with another key or for another purpose */
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
