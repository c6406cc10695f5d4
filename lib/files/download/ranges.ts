import type { ApiRequest } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { ByteRange } from "#lib/files/storage/storage.ts";

/** The file that a range refers to: `etag` with its quotes, size in bytes. */
type FileSizeAndEtag = { size: number; etag: string };

/**
 * Returns the range that a request asks for (RFC 9110, 14.2), or null for the whole file: without a Range header, for
 * other units, an invalid range or several ranges, and when If-Range names another version.
 * @throws AppError RANGE_NOT_SATISFIABLE when the range begins beyond the end of the file
 */
export function parseRangeHeader(request: ApiRequest, { size, etag }: FileSizeAndEtag): ByteRange | null {
  const [, first = "", last = ""] =
    /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(request.headers.get("range") ?? "") ?? [];
  if (request.method !== "GET" || (first === "" && last === "")) return null;
  const ifRange = request.headers.get("if-range");
  if (ifRange !== null && ifRange.trim() !== etag) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return null;
  if (start >= size) throw createRangeError(size);
  return { start, end };
}

const createRangeError = (size: number): AppError =>
  new AppError(
    "RANGE_NOT_SATISFIABLE",
    "rangeNotSatisfiable",
    { size },
    { headers: { "Content-Range": `bytes */${size}` } },
  );
