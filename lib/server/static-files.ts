import type { IncomingMessage, ServerResponse } from "node:http";
import sirv from "sirv";
import { weightedList } from "#lib/i18n/weighted-list.ts";

/** Where browsers find what the build made for them. */
const PREFIX = "/_next/static";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

type Serve = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Serves the files of a build from `folder`, in the best form that lies beside them and that the browser takes. Their
 * names change with their content, so they may be kept for ever.
 * @returns a function that answers, or returns false where the request is for something else, or for no file
 */
export function staticFiles(folder: string): Serve {
  // Read once: a build in the same place is refused while the service runs.
  const files = sirv(folder, { brotli: true, gzip: true, etag: true, maxAge: YEAR_SECONDS, immutable: true });
  return (request, response) => {
    const { url = "", method, headers } = request;
    if (!url.startsWith(`${PREFIX}/`) || (method !== "GET" && method !== "HEAD")) return false;
    const asked = { encoding: headers["accept-encoding"], range: headers.range };
    headers["accept-encoding"] = encodingsIn(asked.encoding);
    // A part of a compressed file is of no use to anybody; the whole is a right answer, too.
    delete headers.range;
    request.url = url.slice(PREFIX.length);
    let found = true;
    files(request, response, () => {
      found = false;
    });
    request.url = url;
    headers["accept-encoding"] = asked.encoding;
    if (asked.range !== undefined) headers.range = asked.range;
    return found;
  };
}

/** Those of our two that a header takes, as a list without weights: one with a weight of 0 is refused. */
export function encodingsIn(header: string | string[] = ""): string {
  const wanted = weightedList([header].flat().join(","));
  const taken = new Set(wanted.filter(({ weight }) => weight > 0).map(({ value }) => value.toLowerCase()));
  return ["br", "gzip"].filter((one) => taken.has(one)).join(", ");
}
