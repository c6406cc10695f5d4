import type { Socket } from "node:net";

/**
 * Closes a connection that timed out before the first byte of a request, without a response. Browsers open such
 * connections in advance, and would take a response for the answer to their next request: a refused script leaves a
 * page without script. When the connection closes instead, they repeat the request.
 * @returns false for another error, or when part of a request has arrived
 */
export function closeTimedOutUnusedConnection({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  if (code !== "ERR_HTTP_REQUEST_TIMEOUT" || socket.bytesRead > 0) return false;
  // A process that was busy checks the timeout first, and then reads the bytes that have arrived since.
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
  return true;
}
