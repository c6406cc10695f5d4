import { createDecipheriv, hkdfSync } from "node:crypto";

/** Opens small sealed texts with a given key: for callers that may not read the environment. */

export const NONCE_BYTES = 12;
const AUTH_TAG_BYTES = 16;

/** 32 bytes: the data key or another one of the installation, as bytes or in base64url. */
export type MasterKey = Uint8Array | string;

/** Those derived last: deriving one takes longer than sealing. Most purposes are one of a few words. */
const derivedKeys = new Map<string, Buffer>();
const MAX_DERIVED_KEYS = 100;

/** Derives from a master key the key of one purpose. */
export function deriveKey(key: MasterKey, purpose: string): Buffer {
  const master = typeof key === "string" ? key : Buffer.from(key).toString("base64url");
  const name = `${master} ${purpose}`;
  const known = derivedKeys.get(name);
  if (known) return known;
  const derived = Buffer.from(
    hkdfSync("sha256", Buffer.from(master, "base64url"), "", `heed:${purpose}`, 32),
  );
  if (derivedKeys.size >= MAX_DERIVED_KEYS) derivedKeys.clear();
  derivedKeys.set(name, derived);
  return derived;
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
  const decipher = createDecipheriv("aes-256-gcm", deriveKey(key, purpose), nonce, {
    authTagLength: AUTH_TAG_BYTES,
  });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}
