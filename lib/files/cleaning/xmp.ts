import { namesInXmp } from "./reveals.ts";

/** Names of the fields that an XMP packet in a value or in a whole file fills. */
export const namesInXmpOf = (where: unknown): string[] => namesInXmp(packetIn(where));

/** The packet, up to a length that no honest one has. */
function packetIn(where: unknown): string {
  if (typeof where !== "string" && !Buffer.isBuffer(where)) return "";
  const start = where.indexOf("<x:xmpmeta");
  const end = start < 0 ? -1 : where.indexOf("</x:xmpmeta", start);
  return end < 0 ? "" : where.slice(start, Math.min(end, start + 1024 * 1024)).toString();
}
