import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Asking, AskingBody, AskingHeaders } from "#lib/operation/request.ts";
import { ROUTE_HEADER, shortWayOf, type Answered } from "#lib/http/direct-handlers.ts";
import type { Route } from "./route-matcher.ts";
import { encodingsIn } from "./static-files.ts";

/**
 * Calls of the interface, past Next's router and its streams, which take a plain call more time than all the rest of it
 * (docs/decisions/026). Only what is spelled in the plainest way goes here; everything else goes through Next.
 */

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const PLAIN_PATH = /^\/api(?:\/[A-Za-z0-9_-]+)+(?=\?|$)/;
/** What is smaller is not worth compressing; as Next has it. */
const SMALLEST_COMPRESSED = 1024;

const compressed = promisify(gzip);

/** Answers a request whose address leads to this route, or says false: then Next has to. */
export function takeShortWay(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route | undefined,
): boolean {
  if (!route || route.alias || !isPlain(request)) return false;
  const way = shortWayOf(request.method ?? "", route.pattern);
  if (!way) {
    request.headers[ROUTE_HEADER] = route.pattern;
    return false;
  }
  void way(new Asked(request), route.params)
    .then((answer) => send(request, response, answer))
    .catch(() => response.destroy());
  return true;
}

/** JSON or no body at all, and a path without anything that could be read in two ways. */
function isPlain({ method = "", url = "", headers }: IncomingMessage): boolean {
  if (!METHODS.has(method) || !PLAIN_PATH.test(url) || url.includes("#")) return false;
  const brings = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET" ? !brings : !brings || /^application\/json\b/i.test(headers["content-type"] ?? "");
}

/** A request of Node's as operations read it. */
class Asked implements Asking {
  readonly method: string;
  readonly url: string;
  readonly headers: AskingHeaders;
  readonly body: AskingBody | null;

  constructor(request: IncomingMessage) {
    const { method = "", url = "", headers } = request;
    this.method = method;
    // Only its path and query are read; a Host may hold anything, a question mark too.
    this.url = `http://heed${url}`;
    this.headers = {
      get: (name) => valueOf(headers[name.toLowerCase()]),
      has: (name) => headers[name.toLowerCase()] !== undefined,
    };
    this.body = method === "GET" ? null : bodyOf(request);
  }
}

const valueOf = (value: string | string[] | undefined): string | null =>
  Array.isArray(value) ? value.join(", ") : (value ?? null);

function bodyOf(request: IncomingMessage): AskingBody {
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

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, cookies, text }: Answered,
): Promise<void> {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  if (text === null) return void response.end();
  response.setHeader("Vary", varyOf(headers));
  if (text.length < SMALLEST_COMPRESSED || !takesGzip(request)) return void response.end(text);
  const packed = await compressed(text);
  response.setHeader("Content-Encoding", "gzip");
  response.end(packed);
}

const varyOf = ({ Vary }: Record<string, string>): string =>
  Vary ? `${Vary}, Accept-Encoding` : "Accept-Encoding";

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  encodingsIn(headers["accept-encoding"]).includes("gzip");
