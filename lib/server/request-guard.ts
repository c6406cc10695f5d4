import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Duplex } from "node:stream";
import { RESPONSE_LENGTH_HEADER } from "#lib/operation/headers.ts";
import {
  startPageStatusRecording,
  discardPageStatusAndFormValues,
  findRecordedPageStatusAndHeaders,
} from "#lib/http/page-status.ts";
import { UNKNOWN_METHOD_HEADER } from "#lib/http/headers.ts";
import { MAX_FORM_REQUEST_BODY_BYTES } from "#lib/design/form-size.ts";
import type { Env } from "#lib/env.ts";
import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";
import { createCorsHandler, type CorsHandler } from "./cors.ts";
import { boundHeadersAndQuery } from "./request-bounds.ts";
import {
  createInvalidRequestRefusal,
  FORM_TOO_LARGE,
  sendRefusal,
  serializeRefusal,
  type Refusal,
  type RequestKind,
} from "./refusals.ts";
import { closeConnectionIfBodyIsUnread, MAX_DISCARDED_BYTES } from "./unread-body.ts";
import { addVary } from "./vary.ts";
import { API_PATH_ALIASES } from "./path-aliases.ts";
import { addResponseHeadHook } from "./head-hook.ts";
import { chooseClientAddress, createTrustedProxyMatcher } from "./client-address.ts";

/**
 * The request guard, which every request passes before Next sees it, and every response before it is sent: it sets a
 * request id and the client's address, drops headers that only we may set, adds security headers, and responds with
 * JSON to malformed requests.
 */

type RequestGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Pages are viewed, and forms are posted to them. */
const PAGE_METHODS = ["GET", "HEAD", "POST"];
const MAX_URL_LENGTH = 16_000;
/** Load balancers request these without a Host header and with HTTP/1.0. */
const HEALTH_PATHS = new Set(["/api/health", "/api/health/live", "/api/health/ready"]);
/** Headers of Next's own page requests. They mean nothing to the API, and would mislead Next there. */
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

/**
 * Creates the guard. It responds to requests that it refuses and returns false for them.
 * @throws Error on an invalid TRUSTED_PROXIES
 */
export function createRequestGuard(
  env: Pick<Env, "TRUSTED_PROXIES" | "corsOrigins" | "https" | "production" | "baseUrl">,
): RequestGuard {
  const isTrusted = createTrustedProxyMatcher(env.TRUSTED_PROXIES);
  const handleCors = createCorsHandler(env);
  const commonHeaders = buildSecurityHeaders(env);
  const base = new URL(env.baseUrl);
  return (request, response) => {
    const { remoteAddress } = request.socket;
    const isPeerTrusted = isTrusted(chooseClientAddress(remoteAddress, undefined, () => false));
    const id = requestId(request, isPeerTrusted);
    const address = chooseClientAddress(remoteAddress, header(request, "x-forwarded-for"), isTrusted);
    const pathname = decodePath(request.url ?? "");
    const kind = findRequestKindOf(request, pathname);
    const policy = createPolicy(kind);
    cleanHeaders(request, isPeerTrusted, env.production ? base : undefined);
    const addCorsHeaders = kind === "api" ? prepareApiRequest(request, handleCors) : undefined;
    request.headers["x-request-id"] = id;
    request.headers["x-heed-client"] = address;
    request.headers["x-heed-path"] = kind === "page" ? (request.url ?? "/") : "/";
    if (kind === "page" && policy) request.headers["content-security-policy"] = policy;
    // A page also answers for build files that don't exist.
    const isPage = kind !== "api" && isForBrowser(request);
    if (isPage) expectPageResponseTo(id, response);
    const headers = { ...commonHeaders, "X-Request-Id": id };
    addResponseHeadHook(response, () => {
      addCorsHeaders?.(response);
      if (env.https) clearBrowserOnSignOut(response);
      fillHeaders(response, kind, policy ? { ...headers, "Content-Security-Policy": policy } : headers);
      if (isPage) applyPageResponse(response, id);
      closeConnectionIfBodyIsUnread(request, response, MAX_DISCARDED_BYTES[kind]);
    });
    const refusal = findRefusal(request, pathname) ?? boundHeadersAndQuery(request);
    if (refusal) sendRefusal(response, kind, refusal);
    else if (!isKnownMethod(request)) rewriteToOptions(request);
    // Next builds a URL from the Host header, which a health check may omit.
    request.headers.host ||= "localhost";
    return !refusal;
  };
}

/** Drops headers that mean nothing to the API, and returns a function that adds the CORS headers to the response. */
function prepareApiRequest(request: IncomingMessage, handleCors: CorsHandler | undefined) {
  for (const name of NEXT_HEADERS) delete request.headers[name];
  return handleCors?.(request);
}

/** Returns the security headers that every response carries. */
export const buildSecurityHeaders = ({ https }: Pick<Env, "https">): Record<string, string> =>
  https
    ? { ...COMMON_HEADERS, "Strict-Transport-Security": "max-age=31536000; includeSubDomains" }
    : COMMON_HEADERS;

/**
 * Responds to requests that the HTTP parser couldn't read. No request object exists, so the response is written by
 * hand.
 * @param commonHeaders `buildSecurityHeaders`
 */
export function respondToParseError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  commonHeaders: Record<string, string>,
): void {
  // Node leaves it to us to handle the error when the other side has disconnected.
  socket.off("error", ignoreSocketError).on("error", ignoreSocketError);
  const isAnswered = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (!socket.writable || isAnswered || error.code === "ECONNRESET") return void socket.destroy();
  const refusal = refusalForParseError(error.code ?? "");
  const body = serializeRefusal(refusal);
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

const createMethodRefusal = (allowed: string[]): Refusal => ({
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

/** Paths of route handlers to which pages send files. The handlers refuse a file that is too large while it arrives. */
const UPLOAD_PATH =
  /^\/(account\/avatar|(e|orgs)\/[^/]+\/settings\/logo|e\/[^/]+\/(i\/[^/]+\/files|report\/send)|mailbox\/add)$/;

function findRefusal(request: IncomingMessage, pathname: string | undefined): Refusal | undefined {
  const url = request.url ?? "";
  const isPageRequest = findRequestKindOf(request, pathname) !== "api";
  if (isPageRequest && !PAGE_METHODS.includes(request.method ?? "")) return createMethodRefusal(PAGE_METHODS);
  if (!request.headers.host && !HEALTH_PATHS.has(pathname ?? ""))
    return createInvalidRequestRefusal("A request needs a Host header.");
  if (url.length > MAX_URL_LENGTH)
    return createInvalidRequestRefusal("The address of this request is too long.");
  // A path that can't be decoded or holds a control character matches no route (contract 3.1).
  // eslint-disable-next-line no-control-regex
  if (pathname === undefined || /[\u0000-\u001f\u007f]/.test(pathname)) return PATH_NOT_FOUND;
  // API paths have exactly one spelling; percent-encoded letters, capitals, dot and empty segments match nothing.
  if (findRequestKind(pathname) === "api" && !/^\/(api|events|session)(?![^/?])/.test(url))
    return PATH_NOT_FOUND;
  if (findRequestKind(url) === "api" && (hasDotSegment(url) || hasEmptySegment(url))) return PATH_NOT_FOUND;
  if (isAliasInOtherCase(url)) return PATH_NOT_FOUND;
  if (findRequestKind(pathname) !== "api" && findRequestKind(url) === "api") return PATH_NOT_FOUND;
  if (isFormOfPage(request) && Number(request.headers["content-length"]) > MAX_FORM_REQUEST_BODY_BYTES)
    return FORM_TOO_LARGE;
  return undefined;
}

/** Returns whether a request is a form that the framework parses (page-form.ts). */
export function isFormOfPage(request: IncomingMessage): boolean {
  const pathname = decodePath(request.url ?? "");
  return (
    request.method === "POST" &&
    pathname !== undefined &&
    findRequestKindOf(request, pathname) !== "api" &&
    !UPLOAD_PATH.test(pathname)
  );
}

/** Returns whether a URL starts with an alias in other capitals. Next ignores case and would rewrite it, too. */
const isAliasInOtherCase = (url: string): boolean =>
  API_PATH_ALIASES.some(({ path: alias }) => url.toLowerCase().startsWith(alias) && !url.startsWith(alias));

/** Returns whether the path has a `.` or `..` segment, plain or encoded. */
const hasDotSegment = (url: string): boolean =>
  /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i.test(url.split(/[?#]/, 1)[0] ?? "");

/** Returns whether the path has a doubled, trailing or backward slash, which Next would answer with a redirect. */
const hasEmptySegment = (url: string): boolean => /\/\/|\/$|\\/.test(url.split(/[?#]/, 1)[0] ?? "");

const isKnownMethod = ({ method }: IncomingMessage) => METHODS.includes(method ?? "");

/**
 * endpoint.ts knows which methods a path accepts, but Next forwards only standard methods: so others come as OPTIONS.
 */
function rewriteToOptions(request: IncomingMessage): void {
  request.headers[UNKNOWN_METHOD_HEADER] = "yes";
  request.method = "OPTIONS";
}

function refusalForParseError(code: string): Refusal {
  if (code === "HPE_INVALID_METHOD") return createMethodRefusal(METHODS);
  if (code === "HPE_HEADER_OVERFLOW")
    return createInvalidRequestRefusal("The headers of this request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return createInvalidRequestRefusal("The request took too long to arrive.");
  return createInvalidRequestRefusal("This is not a valid HTTP request.");
}

/** Returns the path without percent-encoding, dot segments and repeated slashes; undefined when it can't be decoded. */
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

/** Returns the kind of a request, whose path may be one of the API as it is written, or once it is decoded. */
const findRequestKindOf = ({ url = "" }: IncomingMessage, pathname: string | undefined): RequestKind =>
  findRequestKind(url) === "api" ? "api" : findRequestKind(pathname ?? url);

function createPolicy(kind: RequestKind): string | undefined {
  if (kind === "api") return "default-src 'none'; frame-ancestors 'none'";
  return kind === "page" ? createPagePolicy() : undefined;
}

/**
 * Creates a page's policy with a new nonce. Next copies the nonce to its own scripts, and these may load further ones.
 */
function createPagePolicy(): string {
  const nonce = `'nonce-${randomBytes(16).toString("base64")}'`;
  return `default-src 'self'; script-src 'self' ${nonce} 'strict-dynamic'; style-src 'self' ${nonce}; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

function requestId(request: IncomingMessage, isPeerTrusted: boolean): string {
  const given = header(request, "x-request-id");
  return isPeerTrusted && given && /^[A-Za-z0-9-]{8,64}$/.test(given) ? given : randomUUID();
}

/**
 * Drops forwarded headers from untrusted peers; those of a trusted proxy are used only for the client's address. In
 * production mode the service's own address comes from BASE_URL; Next compares the origin of forms with it.
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
  // With our referrer policy, a form posted without script has "Origin: null", which Next would refuse. Browsers
  // also send the request's origin in Sec-Fetch-Site, a header that no page can set.
  if (headers.origin === "null" && headers["sec-fetch-site"] === "same-origin") delete headers.origin;
  if (!base) return;
  headers["x-forwarded-host"] = base.host;
  headers["x-forwarded-proto"] = base.protocol.replace(":", "");
}

/**
 * Returns whether the browser itself shows the response. Otherwise, Next's router in the page sent the request and
 * shows the response: the router accepts only status 200, and reads from the content what went wrong.
 */
function isForBrowser({ headers }: IncomingMessage): boolean {
  return !headers.rsc && !headers["next-action"];
}

/** Lets a page record its status and headers until its response has ended. */
function expectPageResponseTo(id: string, response: ServerResponse): void {
  startPageStatusRecording(id);
  response.once("close", () => discardPageStatusAndFormValues(id));
}

/** Gives a page the status and headers that it recorded, instead of Next's 200. */
function applyPageResponse(response: ServerResponse, id: string): void {
  const pageResponse = response.statusCode === 200 ? findRecordedPageStatusAndHeaders(id) : undefined;
  if (!pageResponse) return;
  response.statusCode = pageResponse.status;
  for (const [name, value] of Object.entries(pageResponse.headers)) response.setHeader(name, value);
}

/**
 * Adds headers when the head is written, since Next drops a handler's header if the same one is already set: a
 * handler's own policy or caching stays, and everything else gets ours.
 */
function fillHeaders(response: ServerResponse, kind: RequestKind, headers: Record<string, string>): void {
  const isMissing = (name: string) => !response.hasHeader(name);
  for (const [name, value] of Object.entries(headers)) if (isMissing(name)) response.setHeader(name, value);
  restoreLength(response);
  if (kind === "api" && isMissing("Cache-Control"))
    response.setHeader("Cache-Control", PRIVATE_CACHE_CONTROL);
  if (kind === "page" && (isPersonal(response) || isMissing("Cache-Control")))
    response.setHeader("Cache-Control", PRIVATE_CACHE_CONTROL);
  if (/^private\b/.test(String(response.getHeader("Cache-Control")))) addVary(response, CREDENTIAL_HEADERS);
}

/** Restores Content-Length, except for a response compressed on its way, whose length isn't known yet. */
function restoreLength(response: ServerResponse): void {
  const length = response.getHeader(RESPONSE_LENGTH_HEADER);
  response.removeHeader(RESPONSE_LENGTH_HEADER);
  if (length !== undefined && !response.hasHeader("Content-Encoding"))
    response.setHeader("Content-Length", length);
}

/**
 * Returns whether a response is a page, which is made for one person; fonts, icons and other public files keep Next's
 * caching.
 */
function isPersonal(response: ServerResponse): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return type === "" || /^text\/(html|x-component|plain)/.test(type);
}

/** Sessions come as a cookie, access tokens in Authorization. */
const CREDENTIAL_HEADERS = ["Cookie", "Authorization"];

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * Removes from the browser everything that it has stored for this site, including drafts, on signing out. A browser can
 * only remove all of it, so nothing is removed when something is opened after the quick exit, which has removed what was
 * stored before it.
 */
function clearBrowserOnSignOut(response: ServerResponse): void {
  const cookies = [response.getHeader("Set-Cookie") ?? []].flat().map(String);
  const removed = cookies.filter((cookie) => /^[^;=]+=;.*Max-Age=0\b/i.test(cookie));
  const isRemoved = (name: string) => removed.some((cookie) => cookie.startsWith(`${name}=;`));
  if (!isRemoved("__Host-session")) return;
  response.setHeader("Clear-Site-Data", isRemoved(QUICK_EXIT_COOKIE) ? '"cache"' : '"cache", "storage"');
}
