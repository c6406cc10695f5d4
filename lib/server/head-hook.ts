import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

type WriteHead = (status: number, ...more: unknown[]) => ServerResponse;

/**
 * Calls `change` once, right before the head of a response is written, whatever code writes it. By then `response` has
 * the status and all headers, including those passed to `writeHead`, and `change` may still change them.
 */
export function addResponseHeadHook(response: ServerResponse, change: () => void): void {
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

/** Returns whether headers come as an object. Node itself adds those that come as a list of names and values. */
const isHeaders = (given: unknown): given is OutgoingHttpHeaders =>
  typeof given === "object" && given !== null && !Array.isArray(given);
