import { createDecipheriv, hkdfSync } from "node:crypto";

/** Opens small sealed texts with a given key: for callers that may not read the environment. */

export const NONCE_BYTES = 12;
const AUTH_TAG_BYTES = 16;

/** 32 bytes: the data key or another one of the installation, as bytes or in base64url. */
export type MasterKey = Uint8Array | string;

/** Derives from a master key the key that seals for one purpose. */
export function deriveSealKey(key: MasterKey, purpose: string): Buffer {
  const bytes = typeof key === "string" ? Buffer.from(key, "base64url") : key;
  return Buffer.from(hkdfSync("sha256", bytes, "", `heed:${purpose}`, 32));
}

/**
 * Opens a text that was sealed with this key for this purpose. @throws Error when the bytes were changed, or sealed
 * with another key or for another purpose
 */
export function openSealedText(key: MasterKey, purpose: string, bytes: Uint8Array): string {
  const [nonce, tag, sealed] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + AUTH_TAG_BYTES),
    bytes.subarray(NONCE_BYTES + AUTH_TAG_BYTES),
  ];
  const decipher = createDecipheriv("aes-256-gcm", deriveSealKey(key, purpose), nonce, {
    authTagLength: AUTH_TAG_BYTES,
  });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}
