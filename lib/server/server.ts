import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { constants } from "node:zlib";
import type { Duplex } from "node:stream";
import compression from "compression";
import { setListeningPort, type Env } from "#lib/env.ts";
import { describeLastConnectionFailure } from "#lib/database/connections.ts";
import { markShutdownBegun } from "#lib/admin/shutdown.ts";
import { shutDownStreams } from "#lib/live/stream-shutdown.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { createMisconfigurationWatcher } from "./exposure.ts";
import { toOriginForm } from "./request-target.ts";
import { readFormWithinBounds } from "./page-form.ts";
import {
  respondToParseError,
  createRequestGuard,
  buildSecurityHeaders,
  isFormOfPage,
} from "./request-guard.ts";
import type { LoggingRequestHandler } from "./request-log.ts";
import { tryServeApiWithoutNext } from "./direct-api.ts";
import { createStaticFileHandler } from "./static-files.ts";
import type { StopHook } from "./shutdown.ts";
import { closeTimedOutUnusedConnection } from "./unused-connection.ts";

type RunningServer = {
  port: number;
  /** Stops listening, lets requests in flight finish (up to 10 seconds), and closes every connection. */
  drain(): Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const DRAIN_TIMEOUT_MS = 10_000;
const READY_TIMEOUT_MS = 120_000;
const HEALTH_TIMEOUT_MS = 5000;

/**
 * Serves the production build, and returns when it responds. Registers its own `drain` before the other stop hooks,
 * so that requests end before what they need is closed.
 * @throws Error in plain words when the port is unavailable or the service doesn't start
 */
export async function startServer(
  env: Env,
  options: { onStop?: StopHook[]; beforeStop?: StopHook[]; log?: (line: string) => void } = {},
): Promise<RunningServer> {
  const { onStop = [], beforeStop = [], log = (line) => console.log(line) } = options;
  const ready = Promise.withResolvers<Handler>();
  ready.promise.catch(() => {});
  const listener = createRequestListener(env, ready.promise);
  // Listen first: a port that is in use shows at once, and the real port is known when the app reads it.
  const server = createServer(env, listener.handleRequest);
  const port = await listen(server, env);
  const drain = () => {
    shutDownStreams();
    return drainServer(server);
  };
  beforeStop.push(() => {
    markShutdownBegun();
    return sleep(env.SHUTDOWN_DELAY_SECONDS * 1000);
  });
  onStop.unshift(drain);
  setListeningPort(port);
  // The build has copies of env.ts, which `setListeningPort` doesn't reach, so the build is loaded after that call.
  const { createLoggingRequestHandler } = await import("./request-log.ts");
  listener.setLoggingHandler(createLoggingRequestHandler(PROJECT_ROOT));
  const handle = await createNextHandler(env, port).catch((error) => {
    ready.reject(error);
    throw error;
  });
  ready.resolve(handle);
  await waitUntilHealthy(env, port);
  log(`Heed is ready on ${env.production ? env.baseUrl : `http://localhost:${port}`}`);
  return { port, drain };
}

/**
 * A request that only the app can serve waits until `app` is ready. Requests aren't logged until `setLoggingHandler` is
 * called.
 */
function createRequestListener(env: Env, app: Promise<Handler>) {
  const guard = createRequestGuard(env);
  const noticeExposure = createMisconfigurationWatcher(env, (warning) => {
    void import("#lib/admin/exposure-warnings.ts").then(({ recordMisconfigurationWarning }) =>
      recordMisconfigurationWarning(warning),
    );
  });
  const serveFile = createStaticFileHandler(path.join(PROJECT_ROOT, ".next", "static"));
  let serveAndLog: LoggingRequestHandler = (_request, _response, serve) => serve();
  return {
    setLoggingHandler: (handler: LoggingRequestHandler) => void (serveAndLog = handler),
    handleRequest: (request: IncomingMessage, response: ServerResponse) => {
      request.url = toOriginForm(request.url ?? "");
      noticeExposure(request);
      serveAndLog(request, response, (route) => {
        if (
          guard(request, response) &&
          !serveFile(request, response) &&
          !(env.DIRECT_API && tryServeApiWithoutNext(request, response, route))
        )
          void serveByNext(request, response, app).catch(() => response.destroy());
      });
    },
  };
}

async function serveByNext(
  request: IncomingMessage,
  response: ServerResponse,
  app: Promise<Handler>,
): Promise<void> {
  const bounded = isFormOfPage(request) ? await readFormWithinBounds(request, response) : request;
  if (bounded)
    pageCompressionMiddleware(bounded, response, () => {
      void app.then((handle) => handle(bounded, response)).catch(() => response.destroy());
    });
}

function createServer(
  env: Env,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): http.Server {
  const requestTimeout = (env.UPLOAD_SECONDS + 10) * 1000;
  const settings = {
    // Node refuses a shorter limit for a whole request than for its headers.
    headersTimeout: Math.min(20_000, requestTimeout),
    requestTimeout,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5000,
    maxHeaderSize: 32 * 1024,
    // The request guard refuses requests without a Host header, with a body like every other refusal.
    requireHostHeader: false,
    // There are no WebSockets here; a request to upgrade is served as an ordinary request.
    shouldUpgradeCallback: () => false,
  };
  const server = http.createServer(settings, listener);
  // Ignores unknown expectations in an Expect header; by default, Node would respond 417 without a body.
  server.on("checkExpectation", listener);
  const commonHeaders = buildSecurityHeaders(env);
  server.on("clientError", (error, socket) => {
    if (
      !closeTimedOutUnusedConnection(error, socket as Socket) &&
      !respondToUnknownHttpMethod(server, error, socket)
    )
      respondToParseError(error, socket, commonHeaders);
  });
  server.on("connect", (_request, socket) =>
    respondToParseError({ name: "", message: "", code: "HPE_INVALID_METHOD" }, socket, commonHeaders),
  );
  return server;
}

function listen(server: http.Server, env: Env): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Error(describeListenError(error, env))),
    );
    server.listen({ port: env.PORT, host: env.HOST }, () => {
      server.removeAllListeners("error");
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function describeListenError(error: NodeJS.ErrnoException, env: Env): string {
  if (error.code === "EADDRINUSE")
    return `Port ${env.PORT} is taken by another program. Stop that one, or set PORT to another number.`;
  if (error.code === "EACCES")
    return `Port ${env.PORT} may not be used by this user. Set PORT to a number above 1023.`;
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return `HOST should be an address of this machine; ${env.HOST} is not.`;
  return `The server could not listen on port ${env.PORT}: ${error.message}.`;
}

/** Next chooses its production code by NODE_ENV when it is loaded, so it is loaded only after that is set. */
async function createNextHandler(env: Env, port: number): Promise<Handler> {
  Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
  const { default: next } = await import("next");
  const app = next({ dev: false, dir: PROJECT_ROOT, hostname: env.HOST ?? "localhost", port });
  await app.prepare();
  return app.getRequestHandler();
}

async function waitUntilHealthy(env: Env, port: number): Promise<void> {
  let lastResponse = "no answer";
  for (const end = Date.now() + READY_TIMEOUT_MS; Date.now() < end; await sleep(100)) {
    try {
      const { status, text } = await requestHealth(env, port);
      if (status === 200) return;
      lastResponse = `status ${status}: ${text.slice(0, 300)}`;
    } catch (error) {
      lastResponse = error instanceof Error ? error.message : String(error);
    }
  }
  const failure = describeLastConnectionFailure();
  const database = failure ? ` What the database last said: ${failure}.` : "";
  throw new Error(
    `The service does not come up healthy within ${READY_TIMEOUT_MS / 1000} seconds (${lastResponse}).${database}`,
  );
}

/** Without `fetch`, which refuses some ports that a service may listen on, such as 4190 and 6000. */
async function requestHealth({ HOST }: Env, port: number): Promise<{ status: number; text: string }> {
  const isWildcardHost = !HOST || ["0.0.0.0", "::"].includes(HOST);
  const request = http.get({
    host: isWildcardHost ? "127.0.0.1" : HOST,
    port,
    path: "/api/health",
    agent: false,
    timeout: HEALTH_TIMEOUT_MS,
  });
  request.on("timeout", () => request.destroy(new Error(`no answer within ${HEALTH_TIMEOUT_MS} ms`)));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await readText(response) };
}

async function drainServer(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that becomes idle after its last response would otherwise stay open for its keep-alive time.
  const idleSweepTimer = setInterval(() => server.closeIdleConnections(), 100);
  await Promise.race([closed, sleep(DRAIN_TIMEOUT_MS, undefined, { ref: false })]);
  clearInterval(idleSweepTimer);
  server.closeAllConnections();
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Compresses the responses of pages as they are written, with Brotli where the browser accepts it: a page becomes a
 * fifth smaller than with gzip, in the same time. Responses with `no-transform` and those below 1 kB stay as they are.
 */
const pageCompressionMiddleware = compression({
  threshold: 1024,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      // A window of 256 kB holds a whole page; the default takes megabytes for each response under way.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  },
}) as unknown as Middleware;

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,64}) (\/[^\s]*) HTTP\/1\.[01]\r?\n/;

/**
 * Responds to an unknown method, at which Node's parser fails although the path is readable: passes the request
 * without headers to the server's listener, so that its path refuses it like any other wrong method. The connection
 * closes after the response.
 * @returns false when the request was unreadable for another reason
 */
function respondToUnknownHttpMethod(server: Server, error: ParseError, socket: Duplex): boolean {
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
