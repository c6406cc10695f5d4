import { randomBytes } from "node:crypto";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";

/** Recovery codes replace the second factor, each once. 60 bits; letters that look like digits are left out. */

const CODE_COUNT = 10;
const CODE_LENGTH = 12;
const CODE_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Generates a new set in display form: `k3x9-0v7m-2qpd`. */
export const generateRecoveryCodes = (): string[] => Array.from({ length: CODE_COUNT }, generateCode);

const generateCode = (): string =>
  [...randomBytes(CODE_LENGTH)]
    .map((byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length])
    .join("")
    .replace(/(.{4})(?=.)/g, "$1-");

/** Hashes a code for storage. Ignores spaces, hyphens and case; reads look-alike letters as digits. */
export function hashRecoveryCode(userId: string, code: string): Uint8Array<ArrayBuffer> {
  const normalized = code.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  return computeKeyedHash("recovery-code", `${userId} ${normalized}`);
}
