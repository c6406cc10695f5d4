import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Duplex } from "node:stream";
import { LENGTH_HEADER } from "#lib/operation/headers.ts";
import { expectPageResponse, discardPageResponse, findPageResponse } from "#lib/http/page-status.ts";
import { UNKNOWN_METHOD_HEADER } from "#lib/http/headers.ts";
import { MAX_FORM_BODY_BYTES } from "#lib/design/form-size.ts";
import type { Env } from "#lib/env.ts";
import { findClientAddress, parseTrustedProxies } from "./client-address.ts";

/**
 * What every request passes before Next sees it and every response before it leaves: an id, the client's address,
 * no header that only we may set, security headers, and JSON for what can't be a request at all.
 */

type RequestGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** A page is looked at, and its forms are sent to it. */
const PAGE_METHODS = ["GET", "HEAD", "POST"];
const MAX_URL_LENGTH = 16_000;
/** Load balancers ask for these without a Host header, and in HTTP/1.0. */
const HEALTH_PATHS = new Set(["/api/health", "/api/health/live", "/api/health/ready"]);
/** What Next's own pages ask with; to the API it means nothing, and would lead Next astray. */
const NEXT_HEADERS = [
  "rsc",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-router-state-tree",
  "next-url",
];
const PRIVATE_CACHE_CONTROL = "private, no-store";

const COMMON_HEADERS: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy":
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Makes the guard. It answers what it refuses itself and returns false then. @throws Error on a bad TRUSTED_PROXIES. */
export function createRequestGuard(
  env: Pick<Env, "TRUSTED_PROXIES" | "https" | "production" | "baseUrl">,
): RequestGuard {
  const isTrusted = parseTrustedProxies(env.TRUSTED_PROXIES);
  const commonHeaders = securityHeaders(env);
  const base = new URL(env.baseUrl);
  return (request, response) => {
    const isPeerTrusted = isTrusted(findClientAddress(request.socket.remoteAddress, undefined, () => false));
    const id = requestId(request, isPeerTrusted);
    const address = findClientAddress(
      request.socket.remoteAddress,
      header(request, "x-forwarded-for"),
      isTrusted,
    );
    const pathname = decodePath(request.url ?? "");
    const kind = findRequestKind(pathname ?? request.url ?? "");
    const policy =
      kind === "api"
        ? "default-src 'none'; frame-ancestors 'none'"
        : kind === "page"
          ? createPagePolicy()
          : undefined;
    cleanHeaders(request, isPeerTrusted, env.production ? base : undefined);
    if (kind === "api") for (const name of NEXT_HEADERS) delete request.headers[name];
    request.headers["x-request-id"] = id;
    request.headers["x-heed-client"] = address;
    request.headers["x-heed-path"] = kind === "page" ? (request.url ?? "/") : "/";
    if (kind === "page" && policy) request.headers["content-security-policy"] = policy;
    // A file of the build that isn't there is answered by a page, too.
    if (kind !== "api" && isForBrowser(request)) applyPageResponse(response, id);
    fillHeaders(response, kind, {
      ...commonHeaders,
      "X-Request-Id": id,
      ...(policy && { "Content-Security-Policy": policy }),
    });
    if (env.https) clearOnSignOut(response);
    const refusal = findRefusal(request, pathname);
    const sendRefusal = (refusalToSend: Refusal) =>
      writeRefusal(response, findRequestKind(request.url ?? "") === "api" ? "api" : kind, refusalToSend);
    // A browser that is still sending would see a broken connection in place of the answer.
    if (refusal === FORM_TOO_LARGE) request.resume().once("end", () => sendRefusal(refusal));
    else if (refusal) sendRefusal(refusal);
    else if (!isKnownMethod(request)) rewriteToOptions(request);
    // Next makes a URL of it.
    request.headers.host ||= "localhost";
    return !refusal;
  };
}

/** What every response carries, whatever it answers. */
export const securityHeaders = ({ https }: Pick<Env, "https">): Record<string, string> =>
  https
    ? { ...COMMON_HEADERS, "Strict-Transport-Security": "max-age=31536000; includeSubDomains" }
    : COMMON_HEADERS;

/**
 * Answers what the HTTP parser could not read. There is no request yet, so the answer is written by hand.
 * @param commonHeaders `securityHeaders`
 */
export function answerParseError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  commonHeaders: Record<string, string>,
): void {
  // Node leaves it to us to hear that the other side has gone.
  socket.off("error", ignoreSocketError).on("error", ignoreSocketError);
  const isAnswered = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (!socket.writable || isAnswered || error.code === "ECONNRESET") return void socket.destroy();
  const refusal = refusalForParseError(error.code ?? "");
  const body = errorBody(refusal);
  const headers = {
    ...commonHeaders,
    ...refusal.headers,
    "X-Request-Id": randomUUID(),
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": PRIVATE_CACHE_CONTROL,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.status === 405 ? "Method Not Allowed" : "Bad Request"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
  );
}

const ignoreSocketError = (): void => {};

type RequestKind = "api" | "page" | "static";
type Refusal = {
  status: number;
  code: string;
  error: string;
  details: string;
  headers?: Record<string, string>;
};

const methodNotAllowed = (allowed: string[]): Refusal => ({
  status: 405,
  code: "METHOD_NOT_ALLOWED",
  error: "This method is not allowed here.",
  details: `Use one of ${allowed.join(", ")}.`,
  headers: { Allow: allowed.join(", ") },
});

const PATH_NOT_FOUND: Refusal = {
  status: 404,
  code: "NOT_FOUND",
  error: "There is nothing at this address.",
  details: "Check the address of the request.",
};

/** What pages send files to: routes of their own, which refuse them while they stream. */
const UPLOAD_PATH = /\/(avatar|files|logo|send)$/;

/** Next would read it, give up, and show its error page. */
const FORM_TOO_LARGE: Refusal = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  error:
    "Not sent: this form holds too much. Go back to the page before this one, where what you wrote should still stand. Shorten it, and send it again.",
  details: "A form of a page may have 4 MiB.",
};

function findRefusal(request: IncomingMessage, pathname: string | undefined): Refusal | undefined {
  const url = request.url ?? "";
  const isPageRequest = findRequestKind(url) !== "api" && findRequestKind(pathname ?? "") !== "api";
  if (isPageRequest && !PAGE_METHODS.includes(request.method ?? "")) return methodNotAllowed(PAGE_METHODS);
  if (!request.headers.host && !HEALTH_PATHS.has(pathname ?? ""))
    return invalidRequest("A request needs a Host header.");
  if (url.length > MAX_URL_LENGTH) return invalidRequest("The address of this request is too long.");
  // A name that can't be decoded, or holds a control character, belongs to nothing that we have (contract 3.1).
  // eslint-disable-next-line no-control-regex
  if (pathname === undefined || /[\u0000-\u001f\u007f]/.test(pathname)) return PATH_NOT_FOUND;
  // The interface's paths are spelled in one way only; encoded letters, capitals and detours lead nowhere.
  if (findRequestKind(pathname) === "api" && !/^\/(api|events|session)(?![^/?])/.test(url))
    return PATH_NOT_FOUND;
  if (findRequestKind(url) === "api" && hasDotSegment(url)) return PATH_NOT_FOUND;
  if (findRequestKind(pathname) !== "api" && findRequestKind(url) === "api") return PATH_NOT_FOUND;
  if (
    isPageRequest &&
    !UPLOAD_PATH.test(pathname) &&
    Number(request.headers["content-length"]) > MAX_FORM_BODY_BYTES
  )
    return FORM_TOO_LARGE;
  return undefined;
}

/** Has the path a segment that means this place or the one above, in letters or encoded? */
const hasDotSegment = (url: string): boolean =>
  /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i.test(url.split(/[?#]/, 1)[0] ?? "");

const isKnownMethod = ({ method }: IncomingMessage) => METHODS.includes(method ?? "");

/** Which methods a path takes is known where its operations are (endpoint.ts), but Next brings only those it knows there. */
function rewriteToOptions(request: IncomingMessage): void {
  request.headers[UNKNOWN_METHOD_HEADER] = "yes";
  request.method = "OPTIONS";
}

function refusalForParseError(code: string): Refusal {
  if (code === "HPE_INVALID_METHOD") return methodNotAllowed(METHODS);
  if (code === "HPE_HEADER_OVERFLOW") return invalidRequest("The headers of this request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return invalidRequest("The request took too long to arrive.");
  return invalidRequest("This is not a valid HTTP request.");
}

function invalidRequest(error: string): Refusal {
  return { status: 400, code: "VALIDATION_ERROR", error, details: error };
}

function writeRefusal(response: ServerResponse, kind: RequestKind, refusal: Refusal): void {
  const json = kind === "api";
  const headers = {
    ...refusal.headers,
    Connection: "close",
    "Content-Type": json ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
  };
  response.writeHead(refusal.status, headers);
  response.end(json ? errorBody(refusal) : `${refusal.error}\n`);
}

function errorBody({ error, details, code }: Refusal): string {
  return JSON.stringify({ error, details, code });
}

/** The path without percent-encoding, dot segments and repeated slashes; undefined when it can't be decoded. */
function decodePath(url: string): string | undefined {
  if (!url.startsWith("/")) return undefined;
  try {
    return path.posix.normalize(decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "").replaceAll("\\", "/"));
  } catch {
    return undefined;
  }
}

function findRequestKind(pathname: string): RequestKind {
  if (/^\/(api|events|session)(\/|$|\?)/i.test(pathname)) return "api";
  return pathname.startsWith("/_next/static/") ? "static" : "page";
}

/** Next copies the nonce from the request's policy onto its own scripts, which then may load the rest. */
function createPagePolicy(): string {
  const nonce = `'nonce-${randomBytes(16).toString("base64")}'`;
  return `default-src 'self'; script-src 'self' ${nonce} 'strict-dynamic'; style-src 'self' ${nonce}; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

function requestId(request: IncomingMessage, isPeerTrusted: boolean): string {
  const given = header(request, "x-request-id");
  return isPeerTrusted && given && /^[A-Za-z0-9-]{8,64}$/.test(given) ? given : randomUUID();
}

/**
 * Forwarded headers of a stranger say nothing; those of a proxy are used for the client's address alone. In production
 * mode the service's own address comes from BASE_URL, which is what Next compares the origin of a form with.
 */
function cleanHeaders(request: IncomingMessage, isPeerTrusted: boolean, base: URL | undefined): void {
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    const isReserved =
      name.startsWith("x-middleware-") ||
      name.startsWith("x-heed-") ||
      name === "content-security-policy" ||
      name === "content-security-policy-report-only";
    if (isReserved || (!isPeerTrusted && name.startsWith("x-forwarded-"))) delete headers[name];
  }
  // Under our referrer policy a form posted without script says "Origin: null", and Next would refuse it. Where it
  // came from the browser says itself, in a header that no page can set.
  if (headers.origin === "null" && headers["sec-fetch-site"] === "same-origin") delete headers.origin;
  if (!base) return;
  headers["x-forwarded-host"] = base.host;
  headers["x-forwarded-proto"] = base.protocol.replace(":", "");
}

/** The router's own requests take nothing but 200: what they bring says by itself what is the matter. */
function isForBrowser({ headers }: IncomingMessage): boolean {
  return !headers.rsc && !headers["next-action"];
}

/** Sends a page with the status and headers that it noted for itself, instead of Next's 200. */
function applyPageResponse(response: ServerResponse, id: string): void {
  expectPageResponse(id);
  response.once("close", () => discardPageResponse(id));
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = ((status: number, ...more: unknown[]) => {
    const pageResponse = status === 200 ? findPageResponse(id) : undefined;
    if (!pageResponse) return writeHead(status, ...more);
    for (const [name, value] of Object.entries(pageResponse.headers)) response.setHeader(name, value);
    return writeHead(pageResponse.status, ...more);
  }) as ServerResponse["writeHead"];
}

/**
 * Headers are filled in at the moment the head is written, since Next drops a handler's header where one is there
 * already: a handler's own policy or caching stays, everything else gets ours.
 */
function fillHeaders(response: ServerResponse, kind: RequestKind, headers: Record<string, string>): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = ((...given: unknown[]) => {
    response.writeHead = writeHead as ServerResponse["writeHead"];
    const own = given.at(-1);
    const inlineHeaders = new Set(
      typeof own === "object" && own && !Array.isArray(own)
        ? Object.keys(own).map((name) => name.toLowerCase())
        : [],
    );
    const missing = (name: string) => !response.hasHeader(name) && !inlineHeaders.has(name.toLowerCase());
    for (const [name, value] of Object.entries(headers)) if (missing(name)) response.setHeader(name, value);
    restoreLength(response);
    if (kind === "api" && missing("Cache-Control"))
      response.setHeader("Cache-Control", PRIVATE_CACHE_CONTROL);
    if (kind === "page" && (isPersonal(response) || missing("Cache-Control")))
      response.setHeader("Cache-Control", PRIVATE_CACHE_CONTROL);
    if (/^private\b/.test(String(response.getHeader("Cache-Control")))) varyByCredentials(response);
    return writeHead(...given);
  }) as ServerResponse["writeHead"];
}

/** Whoever signs out leaves nothing of what they saw on the device, nor a draft that they kept there. */
function clearOnSignOut(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = ((...given: unknown[]) => {
    const cookies = [response.getHeader("Set-Cookie") ?? []].flat().map(String);
    if (cookies.some((cookie) => /^__Host-session=;.*Max-Age=0\b/i.test(cookie)))
      response.setHeader("Clear-Site-Data", '"cache", "storage"');
    return writeHead(...given);
  }) as ServerResponse["writeHead"];
}

/** What is compressed on its way has another length, which nobody knows yet. */
function restoreLength(response: ServerResponse): void {
  const length = response.getHeader(LENGTH_HEADER);
  response.removeHeader(LENGTH_HEADER);
  if (length !== undefined && !response.hasHeader("Content-Encoding"))
    response.setHeader("Content-Length", length);
}

/** Pages are made for one person; fonts, icons and other public files keep the caching that Next gives them. */
function isPersonal(response: ServerResponse): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return type === "" || /^text\/(html|x-component|plain)/.test(type);
}

/** A session comes as a cookie, an access token as Authorization. */
function varyByCredentials(response: ServerResponse): void {
  const vary = [response.getHeader("Vary") ?? []].flat().join(", ");
  const namedHeaders = new Set(vary.toLowerCase().split(/[\s,]+/));
  const missing = ["Cookie", "Authorization"].filter((name) => !namedHeaders.has(name.toLowerCase()));
  if (missing.length > 0) response.setHeader("Vary", [vary, ...missing].filter(Boolean).join(", "));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
