import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import type { Env } from "../env.ts";
import { loadAuditMasterKeys } from "#lib/crypto/secrets.ts";

/**
 * Keys of the audit log (docs/decisions/072). The key of its entries and the Ed25519 key that signs its heads are
 * derived from a master key, each for one purpose (HKDF). No key is ever in the database or in a statement.
 */
export type AuditKey = {
  /** Entries and heads refer to the key by this id, which reveals nothing about the key. */
  id: string;
  /** 32 bytes in base64url, with which third parties verify heads. */
  publicKey: string;
  mac(text: string): Buffer;
  sign(text: string): string;
};

/** Prefix that turns a seed into the DER encoding of an Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** Where the master keys are. */
export type AuditKeySource = Pick<Env, "dataDir" | "AUDIT_KEYS">;

/**
 * Derives the keys of this installation from its master keys, newest first: the first one makes MACs and signs. Empty
 * where there are none. A process derives each key once.
 */
export function loadAuditKeys(env: AuditKeySource): AuditKey[] {
  const source = `${env.dataDir} ${env.AUDIT_KEYS ?? ""}`;
  const known = derivedKeys.get(source);
  if (known) return known;
  const keys = loadAuditMasterKeys(env).map(deriveAuditKey);
  if (keys.length > 0) derivedKeys.set(source, keys);
  return keys;
}

const derivedKeys = new Map<string, AuditKey[]>();

/** @throws Error without any key */
export function requireNewestAuditKey([key]: AuditKey[]): AuditKey {
  if (!key) throw new Error("The audit log has no key: neither secrets/data.key nor AUDIT_KEYS.");
  return key;
}

function deriveAuditKey(master: Buffer): AuditKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", master, "", `heed:audit:${purpose}`, 32));
  const macKey = derive("entry");
  const der = Buffer.concat([PKCS8_PREFIX, derive("sign")]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey).export({ format: "jwk" }).x ?? "";
  return {
    id: createHash("sha256").update(publicKey).digest("hex").slice(0, 16),
    publicKey,
    mac: (text) => createHmac("sha256", macKey).update(text).digest(),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64url"),
  };
}

/** Returns whether the owner of a public key signed exactly this text. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = parsePublicKey(publicKey);
  return key !== undefined && verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
}

/** Converts the public key to PEM, for openssl and other programs. */
export const formatPublicKeyPem = (publicKey: string): string =>
  parsePublicKey(publicKey)?.export({ format: "pem", type: "spki" }).toString() ?? "";

/** Returns undefined for anything but an Ed25519 public key. */
function parsePublicKey(x: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  } catch {
    return undefined;
  }
}
