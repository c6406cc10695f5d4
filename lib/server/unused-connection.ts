import type { Socket } from "node:net";

/**
 * Closes a connection that timed out before a byte of a request came, without a response. Browsers open such
 * connections in advance; a response would be read as that to the request which the browser is about to send there, and
 * a script that is "refused" leaves a page without script. They repeat a request whose connection closes instead.
 * @returns false when something else is wrong, or part of a request has come
 */
export function closeUnusedConnection({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  if (code !== "ERR_HTTP_REQUEST_TIMEOUT" || socket.bytesRead > 0) return false;
  // A process that was busy looks at the time first, and then reads what has come meanwhile.
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
  return true;
}
