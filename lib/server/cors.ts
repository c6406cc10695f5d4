import type { IncomingMessage, ServerResponse } from "node:http";
import { CROSS_ORIGIN_TOKEN_CALL_HEADER } from "#lib/http/headers.ts";
import { isOwnOrigin } from "#lib/http/origin.ts";
import { addVary } from "./vary.ts";
import type { Env } from "#lib/env.ts";

/**
 * Lets pages of other origins call the API with a token (contract 3.20). Their calls come without
 * cookies and leave without cookies, so nothing is ever done or shown in the name of whoever is signed in here.
 */

/** Prepares a request, and returns a function that adds the headers to its response. */
export type CorsHandler = (request: IncomingMessage) => (response: ServerResponse) => void;

const ALLOWED_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range";
const EXPOSED_HEADERS = [
  "Content-Disposition",
  "Content-Range",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Ignored",
  "X-Request-Id",
].join(", ");
/** How long a browser may cache the response to a preflight request, in seconds. */
const PREFLIGHT_SECONDS = "600";

/** Creates the handler of API requests; undefined where no other origin is allowed. */
export function createCorsHandler({
  corsOrigins,
  ...own
}: Pick<Env, "corsOrigins" | "baseUrl" | "production">): CorsHandler | undefined {
  if (corsOrigins.length === 0) return undefined;
  const allowedOrigins = new Set(corsOrigins);
  return (request) => {
    const { origin, host, authorization = "" } = request.headers;
    if (!origin || !allowedOrigins.has(origin) || isOwnOrigin(origin, host ?? null, own)) return varyByCall;
    delete request.headers.cookie;
    const isTokenCall = /^\s*bearer(?: |$)/i.test(authorization);
    if (isTokenCall) request.headers[CROSS_ORIGIN_TOKEN_CALL_HEADER] = "token";
    const isPreflight =
      request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
    return (response) => {
      response.removeHeader("Set-Cookie");
      varyByCall(response);
      if (isTokenCall || isPreflight) allowOrigin(response, origin);
      if (isPreflight) respondToPreflight(response);
    };
  };
}

/** Adds to `Vary` what the response depends on: the origin of a call, and whether it has a token. */
const varyByCall = (response: ServerResponse): void => addVary(response, ["Origin", "Authorization"]);

/**
 * Lets pages of an origin read the response. Never with Access-Control-Allow-Credentials: cookies count for this origin
 * alone.
 */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

/** Responds with the methods that the handler of the path allows; an unknown path allows none. */
function respondToPreflight(response: ServerResponse): void {
  const methods = response.getHeader("Allow");
  if (response.statusCode !== 204 || typeof methods !== "string") return;
  response.setHeader("Access-Control-Allow-Methods", methods);
  response.setHeader("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
}
