import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ApiRequest, ApiRequestBodyStream, ApiRequestHeaders } from "#lib/operation/request.ts";
import { ROUTE_HEADER, findDirectApiPathHandler, type ApiResponse } from "#lib/http/direct-handlers.ts";
import type { MatchedRoute } from "./route-matcher.ts";
import { parseAcceptedEncodings } from "./static-files.ts";

/**
 * Serves API calls past Next's router and streams, which take more time than everything else in a plain call
 * (docs/architecture.md). Only requests in the plainest form are served here; all others go through Next.
 */

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const DIRECT_PATH = /^\/api(?:\/[A-Za-z0-9_-]+)+(?=\?|$)/;
/** Smaller responses aren't worth compressing; Next uses the same limit. */
const MIN_COMPRESSED_LENGTH = 1024;

const gzipAsync = promisify(gzip);

/** Serves a request whose URL matches the route; returns false when Next has to serve it. */
export function tryServeApiWithoutNext(
  request: IncomingMessage,
  response: ServerResponse,
  route: MatchedRoute | undefined,
): boolean {
  if (!route || route.alias || !canServeDirectly(request)) return false;
  const directHandler = findDirectApiPathHandler(request.method ?? "", route.pattern);
  if (!directHandler) {
    request.headers[ROUTE_HEADER] = route.pattern;
    return false;
  }
  void directHandler(new NodeRequest(request), route.params)
    .then((apiResponse) => sendApiResponse(request, response, apiResponse))
    .catch(() => response.destroy());
  return true;
}

/** Returns whether a request has JSON or no body, and a path that can't be interpreted in two ways. */
function canServeDirectly({ method = "", url = "", headers }: IncomingMessage): boolean {
  if (!METHODS.has(method) || !DIRECT_PATH.test(url) || url.includes("#")) return false;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET"
    ? !hasBody
    : !hasBody || /^application\/json\b/i.test(headers["content-type"] ?? "");
}

/** Presents a Node request in the form that operations read. */
class NodeRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ApiRequestHeaders;
  readonly body: ApiRequestBodyStream | null;

  constructor(request: IncomingMessage) {
    const { method = "", url = "", headers } = request;
    this.method = method;
    // Operations read only the path and query of the URL; a Host header may hold anything, even a question mark.
    this.url = `http://heed${url}`;
    this.headers = {
      get: (name) => toHeaderValue(headers[name.toLowerCase()]),
      has: (name) => headers[name.toLowerCase()] !== undefined,
    };
    this.body = method === "GET" ? null : createRequestBody(request);
  }
}

const toHeaderValue = (value: string | string[] | undefined): string | null =>
  Array.isArray(value) ? value.join(", ") : (value ?? null);

function createRequestBody(request: IncomingMessage): ApiRequestBodyStream {
  return {
    getReader: () => {
      const chunks = request[Symbol.asyncIterator]() as AsyncIterator<Buffer<ArrayBuffer>, undefined>;
      return {
        read: async () => {
          const { done, value } = await chunks.next();
          return done ? { done: true, value: undefined } : { done: false, value };
        },
      };
    },
  };
}

async function sendApiResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, cookies, text }: ApiResponse,
): Promise<void> {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  if (text === null) return void response.end();
  response.setHeader("Vary", buildVaryHeader(headers));
  if (text.length < MIN_COMPRESSED_LENGTH || !acceptsGzip(request)) return void response.end(text);
  const gzippedText = await gzipAsync(text);
  response.setHeader("Content-Encoding", "gzip");
  response.end(gzippedText);
}

const buildVaryHeader = ({ Vary }: Record<string, string>): string =>
  Vary ? `${Vary}, Accept-Encoding` : "Accept-Encoding";

const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  parseAcceptedEncodings(headers["accept-encoding"]).includes("gzip");
