import type { IncomingMessage, ServerResponse } from "node:http";
import sirv from "sirv";
import { parseWeightedList } from "#lib/i18n/weighted-list.ts";

/** Where browsers find what the build made for them. */
const STATIC_PREFIX = "/_next/static";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

type StaticFileHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Serves the files of a build from `folder`, in the best form that lies beside them and that the browser takes. Their
 * names change with their content, so they may be kept for ever.
 * @returns a function that answers, or returns false where the request is for something else, or for no file
 */
export function createStaticFileHandler(folder: string): StaticFileHandler {
  // Read once: a build in the same place is refused while the service runs.
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
    headers["accept-encoding"] = findAcceptedEncodings(originalHeaders.encoding);
    // A part of a compressed file is of no use to anybody; the whole is a right answer, too.
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

/** Those of our two that a header takes, as a list without weights: one with a weight of 0 is refused. */
export function findAcceptedEncodings(header: string | string[] = ""): string {
  const weightedEncodings = parseWeightedList([header].flat().join(","));
  const acceptedEncodings = new Set(
    weightedEncodings.filter(({ weight }) => weight > 0).map(({ value }) => value.toLowerCase()),
  );
  return ["br", "gzip"].filter((one) => acceptedEncodings.has(one)).join(", ");
}
