import { expect } from "vitest";
import type { Row } from "#e2e/api/routes.ts";
import type { Reply } from "./client.ts";
import { API_CONTENT_POLICY, FILE_CONTENT_POLICY, SECURITY_HEADERS } from "./header-invariants.ts";

/** What headers say, for tests of responses that don't come through the client, and of single kinds of them. */

export function expectSecurityHeaders({ headers }: Reply): void {
  expect(headers).toMatchObject(SECURITY_HEADERS);
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  for (const name of ["x-powered-by", "server", "access-control-allow-origin"])
    expect(headers[name], name).toBeUndefined();
}

export function expectPrivateResponse({ headers }: Reply): void {
  expect(headers["cache-control"]).toBe("private, no-store");
  expectVaryByCredentials(headers);
}

/** Expects `Vary` on the credentials, so that no cache returns one person's response to another session or token. */
function expectVaryByCredentials({ vary }: Reply["headers"]): void {
  expect(vary).toMatch(/\bcookie\b/i);
  expect(vary).toMatch(/\bauthorization\b/i);
}

/** Expects the headers of the success response of a row. */
export function expectRouteHeaders(row: Row, reply: Reply): void {
  expectSecurityHeaders(reply);
  const file =
    /\/(download|original|case-file|export|export\/matching|qr|logo|avatar)$/.test(row.path) &&
    row.status === 200;
  expect(file ? [API_CONTENT_POLICY, FILE_CONTENT_POLICY] : [API_CONTENT_POLICY]).toContain(
    reply.headers["content-security-policy"],
  );
  if (row.method === "GET" && /\/(logo|avatar)$/.test(row.path)) expectCachedPicture(reply, row.path);
  else if (row.path === "/api/openapi.json") expectCached(reply, "public");
  else expectPrivateResponse(reply);
}

/** Logos may be cached for everybody, avatars only for signed-in people. */
function expectCachedPicture(reply: Reply, route: string): void {
  const whose = route.endsWith("/logo") ? "public" : "private";
  expectCached(reply, whose);
  expect(reply.headers["content-type"]).toBe("image/webp");
  if (whose === "private") expectVaryByCredentials(reply.headers);
}

function expectCached({ headers }: Reply, whose: "public" | "private"): void {
  expect(headers["cache-control"]).toMatch(new RegExp(`^${whose}, .*max-age=300`));
  expect(headers.etag).toMatch(/^(W\/)?"[^"]+"$/);
}
