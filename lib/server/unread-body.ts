import type { IncomingMessage, ServerResponse } from "node:http";

const MIB = 1024 * 1024;

/**
 * More than the largest body that the service accepts, by the kind of the path. Forms of pages may hold whole films: if
 * the connection were reset early, the browser would show its own error page in place of ours, which holds the text
 * that was typed.
 */
export const MAX_DISCARDED_BYTES = { api: 64 * MIB, static: 64 * MIB, page: 512 * MIB };
const IDLE_TIMEOUT_MS = 20_000;

/**
 * Closes the connection after a response that leaves before the request has arrived whole: what is left of the body
 * must not be taken for another request, nor hold up those that a proxy sends over the same connection. To be called
 * before the head is written.
 *
 * Most clients read the response only after sending everything, and lose it if the connection is reset meanwhile. So
 * our side ends after the response, and the rest of the body is read and discarded, within limits and no longer than a
 * request may take (`requestTimeout`).
 */
export function closeConnectionIfBodyIsUnread(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): void {
  if (request.complete || !hasBody(request)) return;
  response.setHeader("Connection", "close");
  // Node discards a body that nobody has begun to read, and would do so without limits.
  request.read(0);
  // Node calls this after the response, and would destroy a connection with unread bytes at once.
  request.socket.destroySoon = () => endAfterBody(request, maxBytes);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function endAfterBody(request: IncomingMessage, maxBytes: number): void {
  const { socket } = request;
  const maxBytesRead = socket.bytesRead + maxBytes;
  const destroy = () => void socket.destroy();
  const discard = () => {
    while (request.read() !== null);
    if (socket.bytesRead > maxBytesRead) destroy();
  };
  socket.end();
  socket.setTimeout(IDLE_TIMEOUT_MS, destroy);
  // Unlike "data", this also works while a handler still holds the body.
  request.on("readable", discard).once("end", destroy).once("close", destroy);
  discard();
}
