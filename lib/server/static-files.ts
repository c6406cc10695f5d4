import type { IncomingMessage, ServerResponse } from "node:http";
import sirv from "sirv";
import { parseWeightedList } from "#lib/i18n/weighted-list.ts";

/** The URL prefix of the build's browser files. */
const STATIC_PREFIX = "/_next/static";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

type StaticFileHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Serves the build's files from `folder`, in the best precompressed form that the browser accepts. File names change
 * with their content, so browsers may cache them forever.
 * @returns a function that serves the request, or returns false when no file matches it
 */
export function createStaticFileHandler(folder: string): StaticFileHandler {
  // The folder is read once; a build in the same place is refused while the service runs.
  const serveFile = sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    maxAge: YEAR_SECONDS,
    immutable: true,
  });
  return (request, response) => {
    const { url = "", method, headers } = request;
    if (!url.startsWith(`${STATIC_PREFIX}/`) || (method !== "GET" && method !== "HEAD")) return false;
    const originalHeaders = { encoding: headers["accept-encoding"], range: headers.range };
    headers["accept-encoding"] = parseAcceptedEncodings(originalHeaders.encoding).join(", ");
    // A range of a compressed file is useless to clients; the whole file is a valid response, too.
    delete headers.range;
    request.url = url.slice(STATIC_PREFIX.length);
    let isFound = true;
    serveFile(request, response, () => {
      isFound = false;
    });
    request.url = url;
    headers["accept-encoding"] = originalHeaders.encoding;
    if (originalHeaders.range !== undefined) headers.range = originalHeaders.range;
    return isFound;
  };
}

/** Returns which of our two encodings the header accepts, the better one first; a weight of 0 means refused. */
export function parseAcceptedEncodings(header: string | string[] = ""): string[] {
  const weightedEncodings = parseWeightedList([header].flat().join(","));
  const acceptedEncodings = new Set(
    weightedEncodings.filter(({ weight }) => weight > 0).map(({ value }) => value.toLowerCase()),
  );
  return ["br", "gzip"].filter((one) => acceptedEncodings.has(one));
}
