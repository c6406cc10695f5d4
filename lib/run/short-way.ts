import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Asking, AskingBody, AskingHeaders } from "../api/asking.ts";
import { ROUTE_HEADER, shortWayOf, type Answered } from "../api/short-ways.ts";
import { routeFinder } from "./route-patterns.ts";

/**
 * Calls of the interface, past Next's router and its streams, which take a plain call more time than all the rest of it
 * (docs/decisions/026). Only what is spelled in the plainest way goes here; everything else goes through Next.
 */

/** Takes a request and answers it, or says false: then Next has to. */
type Take = (request: IncomingMessage, response: ServerResponse) => boolean;

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const PLAIN_PATH = /^\/api(?:\/[A-Za-z0-9_-]+)+(?=\?|$)/;
/** What is smaller is not worth compressing; as Next has it. */
const SMALLEST_COMPRESSED = 1024;

const compressed = promisify(gzip);

/** Reads the routes of a production build. */
export function shortWay(root: string): Take {
  const routeOf = routeFinder(root);
  return (request, response) => {
    const route = isPlain(request) ? routeOf(request.url ?? "") : undefined;
    if (!route) return false;
    const way = shortWayOf(request.method ?? "", route.pattern);
    if (!way) {
      request.headers[ROUTE_HEADER] = route.pattern;
      return false;
    }
    void way(new Asked(request, response), route.params)
      .then((answer) => send(request, response, answer))
      .catch(() => response.destroy());
    return true;
  };
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
  readonly #response: ServerResponse;
  #leaving: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    const { method = "", url = "", headers } = request;
    this.method = method;
    // Only its path and query are read; a Host may hold anything, a question mark too.
    this.url = `http://heed${url}`;
    this.headers = {
      get: (name) => valueOf(headers[name.toLowerCase()]),
      has: (name) => headers[name.toLowerCase()] !== undefined,
    };
    this.body = method === "GET" ? null : bodyOf(request);
    this.#response = response;
  }

  /** Aborts when the client leaves before its answer is whole. */
  get signal(): AbortSignal {
    if (!this.#leaving) {
      const leaving = (this.#leaving = new AbortController());
      const response = this.#response;
      const check = () => void (response.writableFinished || leaving.abort());
      if (response.closed) check();
      else response.once("close", check);
    }
    return this.#leaving.signal;
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
  answer: Answered | Response,
): Promise<void> {
  if (answer instanceof Response) return sendStream(response, answer);
  const { status, headers, cookies, text } = answer;
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
  /(?:^|,)\s*(?:x-)?gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?=,|$)/i.test(
    valueOf(headers["accept-encoding"]) ?? "",
  );

async function sendStream(response: ServerResponse, answer: Response): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  if (!answer.body) return void response.end();
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
}
