import type { ApiRequestHeaders } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";
import { env } from "#lib/env.ts";
import { CROSS_ORIGIN_TOKEN_CALL_HEADER } from "#lib/http/headers.ts";
import { isOwnOrigin } from "#lib/http/origin.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses cross-site requests with unsafe methods (contract 3.12). Browsers say where a request comes from in
 * `Sec-Fetch-Site`, older ones in `Origin`; a request with neither header doesn't come from a browser. A call with a
 * token from an allowed origin passes, since the request guard dropped its cookies.
 * @throws AppError CSRF_REJECTED
 */
export function refuseCrossSiteRequest(method: string, headers: ApiRequestHeaders): void {
  if (isCrossSiteRequest(method, headers)) throw createCrossSiteError();
}

/** Like `refuseCrossSiteRequest`, for callers that ignore such a request instead of refusing it. */
export function isCrossSiteRequest(method: string, headers: ApiRequestHeaders): boolean {
  if (SAFE_METHODS.has(method)) return false;
  if (headers.has(CROSS_ORIGIN_TOKEN_CALL_HEADER)) return false;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = headers.get("origin");
  return origin !== null && !isOwnOrigin(origin, headers.get("host"), env());
}

/** Creates the error for a request that another site sent in somebody's name (contract 3.12). */
export const createCrossSiteError = () => new AppError("CSRF_REJECTED", "crossSiteRequest");
