import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Duplex } from "node:stream";
import { LENGTH_HEADER } from "#lib/operation/headers.ts";
import { expectPageAnswer, forgetPageAnswer, notedPageAnswer } from "#lib/http/page-status.ts";
import { WRONG_METHOD_HEADER } from "#lib/http/headers.ts";
import { FORM_BODY_BYTES } from "#lib/design/form-size.ts";
import type { Env } from "#lib/env.ts";
import { clientAddress, trustedProxies } from "./client-address.ts";

/**
 * What every request passes before Next sees it and every response before it leaves: an id, the client's address,
 * no header that only we may set, security headers, and JSON for what can't be a request at all.
 */

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** A page is looked at, and its forms are sent to it. */
const PAGE_METHODS = ["GET", "HEAD", "POST"];
const LONGEST_URL = 16_000;
/** Load balancers ask for these without a Host header, and in HTTP/1.0. */
const HEALTH_PATHS = new Set(["/api/health", "/api/health/live", "/api/health/ready"]);
/** What Next's own pages ask with; to the API it means nothing, and would lead Next astray. */
const PAGE_HEADERS = [
  "rsc",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-router-state-tree",
  "next-url",
];
const NOT_SHARED = "private, no-store";

const ALWAYS: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy":
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Makes the guard. It answers what it refuses itself and returns false then. @throws Error on a bad TRUSTED_PROXIES. */
export function createGuard(env: Pick<Env, "TRUSTED_PROXIES" | "https" | "production" | "baseUrl">): Guard {
  const isTrusted = trustedProxies(env.TRUSTED_PROXIES);
  const always = securityHeaders(env);
  const base = new URL(env.baseUrl);
  return (request, response) => {
    const peerTrusted = isTrusted(clientAddress(request.socket.remoteAddress, undefined, () => false));
    const id = requestId(request, peerTrusted);
    const address = clientAddress(
      request.socket.remoteAddress,
      header(request, "x-forwarded-for"),
      isTrusted,
    );
    const pathname = decodedPath(request.url ?? "");
    const kind = kindOf(pathname ?? request.url ?? "");
    const policy =
      kind === "api"
        ? "default-src 'none'; frame-ancestors 'none'"
        : kind === "page"
          ? pagePolicy()
          : undefined;
    cleanHeaders(request, peerTrusted, env.production ? base : undefined);
    if (kind === "api") for (const name of PAGE_HEADERS) delete request.headers[name];
    request.headers["x-request-id"] = id;
    request.headers["x-heed-client"] = address;
    request.headers["x-heed-path"] = kind === "page" ? (request.url ?? "/") : "/";
    if (kind === "page" && policy) request.headers["content-security-policy"] = policy;
    // A file of the build that isn't there is answered by a page, too.
    if (kind !== "api" && isForBrowser(request)) takePageAnswer(response, id);
    fillHeaders(response, kind, {
      ...always,
      "X-Request-Id": id,
      ...(policy && { "Content-Security-Policy": policy }),
    });
    if (env.https) clearOnSignOut(response);
    const refusal = refuse(request, pathname);
    const say = (said: Refusal) => answer(response, kindOf(request.url ?? "") === "api" ? "api" : kind, said);
    // A browser that is still sending would see a broken connection in place of the answer.
    if (refusal === FORM_TOO_LARGE) request.resume().once("end", () => say(refusal));
    else if (refusal) say(refusal);
    else if (!isKnownMethod(request)) askForMethods(request);
    // Next makes a URL of it.
    request.headers.host ||= "localhost";
    return !refusal;
  };
}

/** What every response carries, whatever it answers. */
export const securityHeaders = ({ https }: Pick<Env, "https">): Record<string, string> =>
  https ? { ...ALWAYS, "Strict-Transport-Security": "max-age=31536000; includeSubDomains" } : ALWAYS;

/**
 * Answers what the HTTP parser could not read. There is no request yet, so the answer is written by hand.
 * @param always `securityHeaders`
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  always: Record<string, string>,
): void {
  // Node leaves it to us to hear that the other side has gone.
  socket.off("error", gone).on("error", gone);
  const answered = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (!socket.writable || answered || error.code === "ECONNRESET") return void socket.destroy();
  const refusal = unreadable(error.code ?? "");
  const body = errorBody(refusal);
  const headers = {
    ...always,
    ...refusal.headers,
    "X-Request-Id": randomUUID(),
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": NOT_SHARED,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.status === 405 ? "Method Not Allowed" : "Bad Request"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
  );
}

const gone = (): void => {};

type Kind = "api" | "page" | "static";
type Refusal = {
  status: number;
  code: string;
  error: string;
  details: string;
  headers?: Record<string, string>;
};

const wrongMethod = (allowed: string[]): Refusal => ({
  status: 405,
  code: "METHOD_NOT_ALLOWED",
  error: "This method is not allowed here.",
  details: `Use one of ${allowed.join(", ")}.`,
  headers: { Allow: allowed.join(", ") },
});

const NOWHERE: Refusal = {
  status: 404,
  code: "NOT_FOUND",
  error: "There is nothing at this address.",
  details: "Check the address of the request.",
};

/** What pages send files to: routes of their own, which refuse them while they stream. */
const TAKES_FILES = /\/(avatar|files|logo|send)$/;

/** Next would read it, give up, and show its error page. */
const FORM_TOO_LARGE: Refusal = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  error:
    "Not sent: this form holds too much. Go back to the page before this one, where what you wrote should still stand. Shorten it, and send it again.",
  details: "A form of a page may have 4 MiB.",
};

function refuse(request: IncomingMessage, pathname: string | undefined): Refusal | undefined {
  const url = request.url ?? "";
  const ofPages = kindOf(url) !== "api" && kindOf(pathname ?? "") !== "api";
  if (ofPages && !PAGE_METHODS.includes(request.method ?? "")) return wrongMethod(PAGE_METHODS);
  if (!request.headers.host && !HEALTH_PATHS.has(pathname ?? ""))
    return invalid("A request needs a Host header.");
  if (url.length > LONGEST_URL) return invalid("The address of this request is too long.");
  // A name that can't be decoded, or holds a control character, belongs to nothing that we have (contract 3.1).
  // eslint-disable-next-line no-control-regex
  if (pathname === undefined || /[\u0000-\u001f\u007f]/.test(pathname)) return NOWHERE;
  // The interface's paths are spelled in one way only; encoded letters, capitals and detours lead nowhere.
  if (kindOf(pathname) === "api" && !/^\/(api|events|session)(?![^/?])/.test(url)) return NOWHERE;
  if (kindOf(url) === "api" && isDetour(url)) return NOWHERE;
  if (kindOf(pathname) !== "api" && kindOf(url) === "api") return NOWHERE;
  if (ofPages && !TAKES_FILES.test(pathname) && Number(request.headers["content-length"]) > FORM_BODY_BYTES)
    return FORM_TOO_LARGE;
  return undefined;
}

/** Has the path a segment that means this place or the one above, in letters or encoded? */
const isDetour = (url: string): boolean =>
  /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i.test(url.split(/[?#]/, 1)[0] ?? "");

const isKnownMethod = ({ method }: IncomingMessage) => METHODS.includes(method ?? "");

/** Which methods a path takes is known where its operations are (endpoint.ts), but Next brings only those it knows there. */
function askForMethods(request: IncomingMessage): void {
  request.headers[WRONG_METHOD_HEADER] = "yes";
  request.method = "OPTIONS";
}

function unreadable(code: string): Refusal {
  if (code === "HPE_INVALID_METHOD") return wrongMethod(METHODS);
  if (code === "HPE_HEADER_OVERFLOW") return invalid("The headers of this request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return invalid("The request took too long to arrive.");
  return invalid("This is not a valid HTTP request.");
}

function invalid(error: string): Refusal {
  return { status: 400, code: "VALIDATION_ERROR", error, details: error };
}

function answer(response: ServerResponse, kind: Kind, refusal: Refusal): void {
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
function decodedPath(url: string): string | undefined {
  if (!url.startsWith("/")) return undefined;
  try {
    return path.posix.normalize(decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "").replaceAll("\\", "/"));
  } catch {
    return undefined;
  }
}

function kindOf(pathname: string): Kind {
  if (/^\/(api|events|session)(\/|$|\?)/i.test(pathname)) return "api";
  return pathname.startsWith("/_next/static/") ? "static" : "page";
}

/** Next copies the nonce from the request's policy onto its own scripts, which then may load the rest. */
function pagePolicy(): string {
  const nonce = `'nonce-${randomBytes(16).toString("base64")}'`;
  return `default-src 'self'; script-src 'self' ${nonce} 'strict-dynamic'; style-src 'self' ${nonce}; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

function requestId(request: IncomingMessage, peerTrusted: boolean): string {
  const given = header(request, "x-request-id");
  return peerTrusted && given && /^[A-Za-z0-9-]{8,64}$/.test(given) ? given : randomUUID();
}

/**
 * Forwarded headers of a stranger say nothing; those of a proxy are used for the client's address alone. In production
 * mode the service's own address comes from BASE_URL, which is what Next compares the origin of a form with.
 */
function cleanHeaders(request: IncomingMessage, peerTrusted: boolean, base: URL | undefined): void {
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    const ours =
      name.startsWith("x-middleware-") ||
      name.startsWith("x-heed-") ||
      name === "content-security-policy" ||
      name === "content-security-policy-report-only";
    if (ours || (!peerTrusted && name.startsWith("x-forwarded-"))) delete headers[name];
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
function takePageAnswer(response: ServerResponse, id: string): void {
  expectPageAnswer(id);
  response.once("close", () => forgetPageAnswer(id));
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = ((status: number, ...more: unknown[]) => {
    const noted = status === 200 ? notedPageAnswer(id) : undefined;
    if (!noted) return writeHead(status, ...more);
    for (const [name, value] of Object.entries(noted.headers)) response.setHeader(name, value);
    return writeHead(noted.status, ...more);
  }) as ServerResponse["writeHead"];
}

/**
 * Headers are filled in at the moment the head is written, since Next drops a handler's header where one is there
 * already: a handler's own policy or caching stays, everything else gets ours.
 */
function fillHeaders(response: ServerResponse, kind: Kind, headers: Record<string, string>): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = ((...given: unknown[]) => {
    response.writeHead = writeHead as ServerResponse["writeHead"];
    const own = given.at(-1);
    const inline = new Set(
      typeof own === "object" && own && !Array.isArray(own)
        ? Object.keys(own).map((name) => name.toLowerCase())
        : [],
    );
    const missing = (name: string) => !response.hasHeader(name) && !inline.has(name.toLowerCase());
    for (const [name, value] of Object.entries(headers)) if (missing(name)) response.setHeader(name, value);
    restoreLength(response);
    if (kind === "api" && missing("Cache-Control")) response.setHeader("Cache-Control", NOT_SHARED);
    if (kind === "page" && (isMadeForOne(response) || missing("Cache-Control")))
      response.setHeader("Cache-Control", NOT_SHARED);
    if (/^private\b/.test(String(response.getHeader("Cache-Control")))) varyByPerson(response);
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
function isMadeForOne(response: ServerResponse): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return type === "" || /^text\/(html|x-component|plain)/.test(type);
}

/** A session comes as a cookie, an access token as Authorization. */
function varyByPerson(response: ServerResponse): void {
  const vary = [response.getHeader("Vary") ?? []].flat().join(", ");
  const named = new Set(vary.toLowerCase().split(/[\s,]+/));
  const missing = ["Cookie", "Authorization"].filter((name) => !named.has(name.toLowerCase()));
  if (missing.length > 0) response.setHeader("Vary", [vary, ...missing].filter(Boolean).join(", "));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
