import { IncomingMessage, type ServerResponse } from "node:http";
import { MAX_FORM_REQUEST_BODY_BYTES } from "#lib/design/form-size.ts";
import { createInvalidRequestRefusal, FORM_TOO_LARGE, sendRefusal } from "./refusals.ts";

/** Far more than any form of ours has; the framework looks each of them up among all others. */
export const MAX_FORM_FIELDS = 500;

/**
 * Reads the form of a page, whose size and number of fields are bounded before the framework parses it. Responds to
 * one beyond the bounds.
 * @returns the request with its body, or undefined when it has its response or the client is gone
 */
export async function readFormWithinBounds(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<IncomingMessage | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_FORM_REQUEST_BODY_BYTES) return void sendRefusal(response, "page", FORM_TOO_LARGE);
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  const body = Buffer.concat(chunks);
  if (countFields(request.headers["content-type"] ?? "", body) <= MAX_FORM_FIELDS)
    return createRequestWithBody(request, body);
  const refusal = createInvalidRequestRefusal(`A form may have ${MAX_FORM_FIELDS} fields.`);
  return void sendRefusal(response, "page", refusal);
}

/** Counts the fields of a form by what separates them, which may also stand in their text. */
function countFields(type: string, body: Buffer): number {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const separator = boundary ? `--${boundary[1] ?? boundary[2]}` : "&";
  let count = 0;
  for (let at = body.indexOf(separator); at !== -1; at = body.indexOf(separator, at + separator.length))
    count += 1;
  // A multipart form has one more at its end, and other forms have none at their beginning.
  return boundary ? count - 1 : count + 1;
}

function createRequestWithBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, complete: true });
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}
