import type { ApiRequestHeaders } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";
import { env } from "#lib/env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * The cross-site guard on every unsafe method (contract 3.12): a browser says where a request comes from in
 * `Sec-Fetch-Site`, an older one in `Origin`; a request with neither comes from no browser.
 * @throws AppError CSRF_REJECTED
 */
export function refuseCrossSiteRequest(method: string, headers: ApiRequestHeaders): void {
  if (isCrossSiteRequest(method, headers)) throw crossSiteError();
}

/** As `refuseCrossSiteRequest`, for what goes on without what such a request asks for. */
export function isCrossSiteRequest(method: string, headers: ApiRequestHeaders): boolean {
  if (SAFE_METHODS.has(method)) return false;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = headers.get("origin");
  return origin !== null && !isOwnOrigin(origin, headers.get("host"));
}

/** What a request that another site sent in somebody's name is answered with (contract 3.12). */
export const crossSiteError = () =>
  new AppError(
    "CSRF_REJECTED",
    "This request came from another site.",
    "Open the page here and send it from there.",
  );

function isOwnOrigin(origin: string, host: string | null): boolean {
  if (origin === env().baseUrl) return true;
  try {
    return host !== null && new URL(origin).host === host;
  } catch {
    return false;
  }
}
