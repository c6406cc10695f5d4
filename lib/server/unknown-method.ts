import http from "node:http";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,64}) (\/[^\s]*) HTTP\/1\.[01]\r?\n/;

/**
 * Responds to an unknown method, at which Node's parser fails although the path is readable: passes the request
 * without headers to the server's listener, so that its path refuses it like any other wrong method. The connection
 * closes after the response.
 * @returns false when the request was unreadable for another reason
 */
export function respondToUnknownHttpMethod(server: Server, error: ParseError, socket: Duplex): boolean {
  // What follows on the connection is the body of that request, whose length is unknown.
  if (forwardedSockets.has(socket) && error.code?.startsWith("HPE_")) return true;
  const [, method = "", url = ""] = REQUEST_LINE.exec(error.rawPacket?.toString("latin1") ?? "") ?? [];
  const isAnswering = (socket as { _httpMessage?: unknown })._httpMessage !== undefined;
  const isKnownMethod = http.METHODS.includes(method);
  if (error.code !== "HPE_INVALID_METHOD" || !url || isKnownMethod || isAnswering || !socket.writable)
    return false;
  forwardedSockets.add(socket);
  const request = new http.IncomingMessage(socket as Socket);
  Object.assign(request, { method, url, headers: { host: "localhost" }, httpVersion: "1.1", complete: true });
  request.push(null);
  const response = new http.ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => (socket as Socket).destroySoon());
  return server.emit("request", request, response);
}

const forwardedSockets = new WeakSet<Duplex>();

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };
