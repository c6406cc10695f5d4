import { timingSafeEqual } from "node:crypto";
import type { AuditKey } from "#lib/audit/keys.ts";

/** A row of `audit_entries`, its columns as text. */
export type AuditEntryRow = {
  chain: string;
  seq: number;
  /** ISO 8601, UTC, with milliseconds. */
  at: string;
  actorId: string | null;
  action: string;
  objectType: string;
  objectId: string | null;
  eventId: string | null;
  right: string;
  requestId: string | null;
  /** JSON as it is stored, to the letter. */
  data: string;
  underCheck: boolean;
  byReporter: boolean;
  keyId: string;
  mac: string;
};

/**
 * Computes the MAC of an entry, in hex: over every column and the MAC of the entry before, each with its length in bytes in
 * front, so that no text can pass for two.
 * @param previousMac hex; empty before the first entry
 */
export function computeEntryMac(key: AuditKey, previousMac: string, row: Omit<AuditEntryRow, "mac">): string {
  const { chain, seq, at, actorId, action, objectType, objectId, eventId } = row;
  const { right, requestId, data, underCheck, byReporter, keyId } = row;
  const what = [chain, `${seq}`, at, actorId, action, objectType, objectId, eventId, right, requestId, data];
  const columns = [...what, `${underCheck}`, `${byReporter}`, keyId];
  return key.mac(["heed audit entry 1", previousMac, ...columns].map(frame).join("")).toString("hex");
}

const frame = (text: string | null): string => (text === null ? "-" : `${Buffer.byteLength(text)}:${text}`);

/** Returns whether a key of ours made the MAC of an entry. */
export function isEntryGenuine(key: AuditKey, previousMac: string, { mac, ...row }: AuditEntryRow): boolean {
  const [expected, actual] = [Buffer.from(computeEntryMac(key, previousMac, row)), Buffer.from(mac)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
