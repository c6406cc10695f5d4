import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";

/**
 * Derives the UUID (version 8) by which responses name a row that has only a number: the same one each time. It is a
 * keyed hash, so that it doesn't reveal how many rows the whole installation has.
 * @param kind a fixed word such as `access`
 */
export function derivePublicRecordUuid(kind: string, key: string): string {
  const digits = Buffer.from(computeKeyedHash("record-id", `${kind} ${key}`)).toString("hex");
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return parts.join("-");
}
