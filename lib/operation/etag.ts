import { createHash } from "node:crypto";

/** Tags of records (contract 3.16). */

/**
 * Builds the `ETag` of a record: its version, which `If-Match` compares, and a hash of what is shown. The hash differs
 * when two people see different content, and when something shown that isn't part of the record changes. The tag is
 * weak, since the same text may be sent compressed.
 */
export function buildRecordEtag(version: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return `W/"${version}/${hash}"`;
}

/** Parses the versions that an `If-Match` names, with or without quotes, without the hash of the shown content. */
export const parseIfMatchVersions = (ifMatch: string): string[] =>
  ifMatch.split(",").map((tag) =>
    tag
      .trim()
      .replace(/^(W\/)?"|"$/g, "")
      .replace(/\/[\w-]*$/, ""),
  );

/** Returns whether `If-None-Match` names the tag, by weak comparison. */
export function matchesIfNoneMatch(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((one) => stripWeakness(one.trim()) === stripWeakness(etag));
}

const stripWeakness = (etag: string): string => etag.replace(/^W\//, "");
