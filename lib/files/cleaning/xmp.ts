import { parseXmpPacketFieldNames } from "./reveals.ts";

/**
 * Lists the names of the fields that are set in the XMP packet of a metadata value or a whole file; empty without a
 * packet.
 */
export const listXmpFieldNames = (source: unknown): string[] =>
  parseXmpPacketFieldNames(findXmpPacket(source));

/** Extracts the packet, up to a length that no legitimate packet reaches. */
function findXmpPacket(source: unknown): string {
  if (typeof source !== "string" && !Buffer.isBuffer(source)) return "";
  const start = source.indexOf("<x:xmpmeta");
  const end = start < 0 ? -1 : source.indexOf("</x:xmpmeta", start);
  return end < 0 ? "" : source.slice(start, Math.min(end, start + 1024 * 1024)).toString();
}
