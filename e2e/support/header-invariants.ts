import assert from "node:assert/strict";
import type { Reply } from "./client.ts";

/** Headers of every response. The client checks them on whatever the tests request. */

export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy":
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export const API_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";
export const FILE_CONTENT_POLICY = "sandbox; default-src 'none'";

/** Logos, avatars, and the description of the API, which may be cached. */
const isPublic = (what: string) => /^(GET|HEAD) \S+\/(logo|avatar|openapi\.json)(\?|$)/.test(what);
const isFile = (what: string) =>
  /^\S+ \S+(\/(download|original|export|export\/matching|case-file|qr|logo|avatar)(\?|$)|\/audit\?(.+&)?format=csv(&|$))/.test(
    what,
  );
const isOfApi = (what: string) => /^\S+ \/(api|events|session)(\/|\?|$)/.test(what);

/**
 * Checks the headers of a response.
 * @param what method and path of the request
 * @param summary begins each message
 */
export function assertHeaderInvariants(what: string, summary: string, { status, headers }: Reply): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    assert.equal(headers[name], value, `${summary}: ${name}`);
  for (const name of ["x-powered-by", "server"])
    assert.equal(headers[name], undefined, `${summary}: ${name}`);
  assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/, `${summary}: X-Request-Id`);
  const mayBeCached = isPublic(what) && status < 400 && headers["set-cookie"] === undefined;
  const caching = isOfApi(what) ? /^private, no-store/ : /no-store/;
  if (!mayBeCached) assert.match(String(headers["cache-control"]), caching, `${summary}: Cache-Control`);
  if (isOfApi(what)) assertApiHeaders(what, summary, { status, headers, mayBeCached });
}

function assertApiHeaders(
  what: string,
  summary: string,
  { status, headers, mayBeCached }: Pick<Reply, "status" | "headers"> & { mayBeCached: boolean },
): void {
  // What the parser couldn't read is refused by a response that is the same for everybody.
  const isUnread = [400, 405].includes(status) && headers.connection === "close";
  // So that no cache gives one person's response to another, even if it keeps what it shouldn't.
  for (const credential of [/\bcookie\b/i, /\bauthorization\b/i])
    if (!mayBeCached && !isUnread) assert.match(String(headers["vary"]), credential, `${summary}: Vary`);
  const policies = isFile(what) ? [API_CONTENT_POLICY, FILE_CONTENT_POLICY] : [API_CONTENT_POLICY];
  const policy = String(headers["content-security-policy"]);
  assert.ok(policies.includes(policy), `${summary}: Content-Security-Policy ${policy}`);
}
