import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ApiRequest, ApiRequestBody, ApiRequestHeaders } from "#lib/operation/request.ts";
import { ROUTE_HEADER, directHandlerFor, type ApiResponse } from "#lib/http/direct-handlers.ts";
import type { Route } from "./route-matcher.ts";
import { findAcceptedEncodings } from "./static-files.ts";

/**
 * Calls of the interface, past Next's router and its streams, which take a plain call more time than all the rest of it
 * (docs/decisions/026). Only what is spelled in the plainest way goes here; everything else goes through Next.
 */

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const DIRECT_PATH = /^\/api(?:\/[A-Za-z0-9_-]+)+(?=\?|$)/;
/** What is smaller is not worth compressing; as Next has it. */
const MIN_COMPRESSED_LENGTH = 1024;

const gzipAsync = promisify(gzip);

/** Answers a request whose address leads to this route, or says false: then Next has to. */
export function serveApiDirectly(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route | undefined,
): boolean {
  if (!route || route.alias || !canServeDirectly(request)) return false;
  const directHandler = directHandlerFor(request.method ?? "", route.pattern);
  if (!directHandler) {
    request.headers[ROUTE_HEADER] = route.pattern;
    return false;
  }
  void directHandler(new NodeRequest(request), route.params)
    .then((apiResponse) => sendApiResponse(request, response, apiResponse))
    .catch(() => response.destroy());
  return true;
}

/** JSON or no body at all, and a path without anything that could be read in two ways. */
function canServeDirectly({ method = "", url = "", headers }: IncomingMessage): boolean {
  if (!METHODS.has(method) || !DIRECT_PATH.test(url) || url.includes("#")) return false;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET"
    ? !hasBody
    : !hasBody || /^application\/json\b/i.test(headers["content-type"] ?? "");
}

/** A request of Node's as operations read it. */
class NodeRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ApiRequestHeaders;
  readonly body: ApiRequestBody | null;

  constructor(request: IncomingMessage) {
    const { method = "", url = "", headers } = request;
    this.method = method;
    // Only its path and query are read; a Host may hold anything, a question mark too.
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

function createRequestBody(request: IncomingMessage): ApiRequestBody {
  return {
    getReader: () => {
      const chunks = request[Symbol.asyncIterator]() as AsyncIterator<Buffer<ArrayBuffer>, undefined>;
      return {
        read: async () => {
          const { done, value } = await chunks.next();
          return done ? { done: true, value: undefined } : { done: false, value };
        },
        // An iterator would end only with the next piece, and who sends slowly would be waited for.
        cancel: async () => void (request.readableEnded || request.destroy()),
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
  findAcceptedEncodings(headers["accept-encoding"]).includes("gzip");
