import { findWayOutByName, type WayOut } from "#lib/files/file-types.ts";

/**
 * Detects in the browser files that the server would refuse for their type. The server checks content; this
 * checks only the name, and the first bytes of types that are certainly wrong.
 */

/** Number of first bytes that `hasUnsupportedSignature` needs. */
const SIGNATURE_LENGTH_BYTES = 8;

const UNSUPPORTED_SIGNATURES: readonly (readonly number[])[] = [
  [0x4d, 0x5a], // Windows program
  [0x7f, 0x45, 0x4c, 0x46], // Linux program
  [0xcf, 0xfa, 0xed, 0xfe], // macOS program
  [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], // RAR
  [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], // 7z
  [0x1f, 0x8b], // gzip
];

/**
 * Returns how to send a file that is certainly of an unsupported type; undefined for other files.
 * @throws DOMException when the browser can't read it
 */
export async function findUnsupportedFileWayOut(file: File): Promise<WayOut | undefined> {
  const byName = findWayOutByName(file.name);
  if (byName) return byName;
  const start = new Uint8Array(await file.slice(0, SIGNATURE_LENGTH_BYTES).arrayBuffer());
  return hasUnsupportedSignature(start) ? "other" : undefined;
}

/**
 * Returns whether a file begins with the signature of an unsupported type. A text may begin with "MZ" too, so that
 * signature counts only if the next bytes can't be text.
 */
function hasUnsupportedSignature(bytes: Uint8Array): boolean {
  const signature = UNSUPPORTED_SIGNATURES.find((start) => start.every((byte, at) => bytes[at] === byte));
  return signature !== undefined && (signature.length > 2 || bytes.subarray(2).some((byte) => byte < 9));
}

type FileFamily = "picture" | "document" | "sound" | "film" | "text";

/** Returns the family of a file, for display. */
export function getFileFamily(mimetype: string): FileFamily {
  if (mimetype === "text/plain") return "text";
  return FAMILY_BY_TOP_LEVEL_TYPE[mimetype.split("/", 1)[0] ?? ""] ?? "document";
}

const FAMILY_BY_TOP_LEVEL_TYPE: Record<string, FileFamily> = {
  image: "picture",
  audio: "sound",
  video: "film",
};
