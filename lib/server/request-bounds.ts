import type { IncomingMessage } from "node:http";
import { createInvalidRequestRefusal, type Refusal } from "./refusals.ts";

/**
 * Bounds on what the framework gets to read of a request: the time that it takes grows faster than the length of some
 * headers and the number of parameters.
 */

const MAX_USER_AGENT_LENGTH = 512;
/** As much as nginx accepts of a header by default. */
export const MAX_HEADER_LENGTH = 8192;
export const MAX_QUERY_PARAMETERS = 100;

/**
 * Cuts the User-Agent, which nobody types, drops cookies that none of ours can be among, and returns a refusal for
 * another header or a query beyond its bound.
 */
export function boundHeadersAndQuery({ headers, url = "" }: IncomingMessage): Refusal | undefined {
  const userAgent = headers["user-agent"];
  if (userAgent) headers["user-agent"] = userAgent.slice(0, MAX_USER_AGENT_LENGTH);
  // A cookie that can't be read makes an anonymous visitor (contract 4.3).
  if ((headers.cookie?.length ?? 0) > MAX_HEADER_LENGTH) delete headers.cookie;
  for (const [name, value] of Object.entries(headers))
    // The guard's own headers hold the address, whose length is bounded elsewhere.
    if (!name.startsWith("x-heed-") && String(value ?? "").length > MAX_HEADER_LENGTH)
      return createInvalidRequestRefusal(`A header of a request may have ${MAX_HEADER_LENGTH} characters.`);
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  if (query.split("&", MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS)
    return createInvalidRequestRefusal(`An address may have ${MAX_QUERY_PARAMETERS} parameters.`);
  return undefined;
}
