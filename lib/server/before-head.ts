import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

type WriteHead = (status: number, ...more: unknown[]) => ServerResponse;

/**
 * Calls `change` once, right before the head of a response is written, by whomever. It finds status and headers in the
 * response, including those that are given to `writeHead`, and may change them there.
 */
export function addHeadHook(response: ServerResponse, change: () => void): void {
  const writeHead = response.writeHead.bind(response) as WriteHead;
  let isChanged = false;
  response.writeHead = ((status, ...more) => {
    if (isChanged) return writeHead(status, ...more);
    isChanged = true;
    response.statusCode = status;
    const given = more.find(isHeaders) ?? {};
    for (const [name, value] of Object.entries(given)) response.setHeader(name, value ?? "");
    change();
    return writeHead(response.statusCode, ...more.filter((one) => one !== given));
  }) satisfies WriteHead as ServerResponse["writeHead"];
}

/** False for a list of names and values, which Node itself adds to what is set. */
const isHeaders = (given: unknown): given is OutgoingHttpHeaders =>
  typeof given === "object" && given !== null && !Array.isArray(given);
