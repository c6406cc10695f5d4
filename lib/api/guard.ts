import { AppError } from "#lib/errors.ts";
import { env } from "#lib/env.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * The cross-site guard on every unsafe method (rulings R3): a browser says where a request comes from in
 * `Sec-Fetch-Site`, an older one in `Origin`; a request with neither comes from no browser.
 * @throws AppError CSRF_REJECTED
 */
export function refuseCrossSite(method: string, headers: Headers): void {
  if (SAFE.has(method)) return;
  const site = headers.get("sec-fetch-site");
  if (site !== null) {
    if (site === "same-origin" || site === "none") return;
    throw rejected();
  }
  const origin = headers.get("origin");
  if (origin !== null && !isOurs(origin, headers.get("host"))) throw rejected();
}

const rejected = () =>
  new AppError(
    "CSRF_REJECTED",
    "This request came from another site.",
    "Open the page here and send it from there.",
  );

function isOurs(origin: string, host: string | null): boolean {
  if (origin === env().baseUrl) return true;
  try {
    return host !== null && new URL(origin).host === host;
  } catch {
    return false;
  }
}
