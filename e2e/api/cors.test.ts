import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { startService } from "#e2e/support/service.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";

/** Calls from pages of other origins, on both paths of the API (contract 3.20, docs/decisions/055). */

const ALLOWED = "https://dashboard.example.org";
const FOREIGN = "https://evil.example";
const heed = await startService({
  HEED_PROCESSES: "1",
  CORS_ORIGINS: `${ALLOWED}, https://other.example.org`,
});
const world = await TestWorld.build(heed);
const { event, omar, nobody } = world;

const token = `heed_${randomBytes(32).toString("base64url")}`;
await heed.sql(
  `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
   values ($1, 'Dashboard', sha256($2::bytea), 'write', now() + interval '1 day')`,
  [omar.id, token],
);
const bearer = { authorization: `Bearer ${token}` };
const from = (origin: string) => ({ origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" });
const cookie = world.as(omar).cookie;

const incidents = `/api/events/${event.id}/incidents`;
const corsOf = ({ headers }: Reply) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));
/** A body that nothing reads keeps a request on the path through Next. */
const THROUGH_NEXT = { raw: "{}" };

describe("a preflight", () => {
  const preflight = (origin: string, method: string, path = incidents) =>
    nobody.send("OPTIONS", path, undefined, {
      headers: {
        ...from(origin),
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,content-type,if-match",
      },
    });

  test("from an allowed origin names the methods of the path, and no credentials", async () => {
    const reply = await preflight(ALLOWED, "POST");
    expect(reply.status).toBe(204);
    expect(reply.headers).toMatchObject({
      "access-control-allow-origin": ALLOWED,
      "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
      "access-control-allow-headers": expect.stringContaining("Authorization, Content-Type, Idempotency-Key"),
    });
    expect(reply.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(reply.headers.vary).toMatch(/\bOrigin\b/);
  });

  test("from a foreign origin opens nothing", async () => {
    const reply = await preflight(FOREIGN, "POST");
    expect([reply.status, corsOf(reply)]).toEqual([204, []]);
    expect(reply.headers.vary).toMatch(/\bOrigin\b/);
  });

  test("of an unknown path allows no method", async () => {
    const reply = await preflight(ALLOWED, "GET", "/api/nothing");
    expect(reply.headers["access-control-allow-methods"]).toBeUndefined();
  });
});

describe("a call with a token from an allowed origin", () => {
  test("is answered alike on both paths of the API", async () => {
    const read = (ask = {}) => nobody.get(incidents, { headers: { ...from(ALLOWED), ...bearer }, ...ask });
    await read();
    const [direct, throughNext] = [await read(), await read(THROUGH_NEXT)];
    for (const { status, headers } of [direct, throughNext]) {
      expect(status).toBe(200);
      expect(headers["access-control-allow-origin"]).toBe(ALLOWED);
      expect(headers["access-control-expose-headers"]).toMatch(
        /\bLocation\b.*\bRetry-After\b.*\bX-Ignored\b/,
      );
      expect(headers.vary).toMatch(/\bOrigin\b/);
      expect(headers["cache-control"]).toBe("private, no-store");
    }
    expect(corsOf(throughNext)).toEqual(corsOf(direct));
  });

  test("writes", async () => {
    const body = { title: "A report from the dashboard", description: "What happened." };
    const reply = await nobody.post(incidents, body, { headers: { ...from(ALLOWED), ...bearer } });
    expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([201, ALLOWED]);
  });

  test.each([
    ["a refusal", `/api/organizations/${world.organization.id}`, 403],
    ["an unknown path", "/api/nothing", 404],
    ["a path with a slash too many", "/api/users/me/", 404],
  ])("can read %s", async (_, path, status) => {
    const reply = await nobody.get(path, { headers: { ...from(ALLOWED), ...bearer } });
    expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([status, ALLOWED]);
  });

  test("can read that its token is no longer valid", async () => {
    const headers = { ...from(ALLOWED), authorization: "Bearer heed_gone" };
    const reply = await nobody.get("/api/users/me", { headers });
    expect(summarizeResponse(reply)).toEqual([401, "TOKEN_INVALID"]);
    expect(reply.headers["access-control-allow-origin"]).toBe(ALLOWED);
  });

  test("can read what is downloaded and what is streamed", async () => {
    const headers = { ...from(ALLOWED), ...bearer };
    const files = `${incidents}/${(await world.report(omar, event)).id}/related-files`;
    const png = { field: "relatedFiles", name: "a.png", bytes: await createPng(), type: "image/png" };
    const added = await world.as(omar).post(files, buildForm({}, png));
    const download = await nobody.get(`${files}/${added.body.relatedFiles[0].id}/download`, { headers });
    expect([download.status, download.headers["access-control-allow-origin"]]).toEqual([200, ALLOWED]);
    expect(download.headers["access-control-expose-headers"]).toContain("Content-Disposition");
    const stream = await fetch(`${heed.url}/api/users/me/stream`, { headers });
    expect(stream.headers.get("access-control-allow-origin")).toBe(ALLOWED);
    await stream.body?.cancel();
  });

  test("doesn't count a cookie beside it, and sets none", async () => {
    const headers = { ...from(ALLOWED), authorization: "Bearer heed_gone", cookie };
    const session = await nobody.get("/api/session", { headers });
    expect(session.body).toEqual({ authenticated: false });
    expect(session.headers["set-cookie"]).toBeUndefined();
  });

  test.each([token, "heed_gone"])("signs nobody in, whatever its token: %#", async (given) => {
    const headers = { ...from(ALLOWED), authorization: `Bearer ${given}` };
    const sessions = await heed.rows("sessions");
    const login = { email: omar.email, password: PASSWORD };
    const reply = await nobody.post("/api/auth/login", login, { headers });
    expect(summarizeResponse(reply)).toEqual([403, "CSRF_REJECTED"]);
    expect(reply.headers["set-cookie"]).toBeUndefined();
    expect(await heed.rows("sessions")).toBe(sessions);
    const receipt = "acorn acorn acorn acorn acorn acorn acorn";
    const mailbox = await nobody.post("/api/mailbox/session", { receipt }, { headers });
    expect(summarizeResponse(mailbox)).toEqual([403, "CSRF_REJECTED"]);
    const letterbox = await nobody.post("/api/letterbox/session", { code: receipt }, { headers });
    expect(summarizeResponse(letterbox)).toEqual([403, "CSRF_REJECTED"]);
  });
});

describe("a call without a token", () => {
  test.each([ALLOWED, FOREIGN])("from %s with a cookie changes nothing", async (origin) => {
    const body = { title: "A report in another's name", description: "What happened." };
    const reply = await nobody.post(incidents, body, { headers: { ...from(origin), cookie } });
    expect(summarizeResponse(reply)).toEqual([403, "CSRF_REJECTED"]);
    expect(corsOf(reply)).toEqual([]);
  });

  test("from an allowed origin with a cookie reads nothing", async () => {
    const reply = await nobody.get("/api/users/me", { headers: { ...from(ALLOWED), cookie } });
    expect(summarizeResponse(reply)).toEqual([401, "UNAUTHENTICATED"]);
    expect(corsOf(reply)).toEqual([]);
  });
});

test("a call with a token from a foreign origin is refused when it writes, and can't be read", async () => {
  const headers = { ...from(FOREIGN), ...bearer };
  const write = await nobody.post(incidents, { title: "x", description: "y" }, { headers });
  expect(summarizeResponse(write)).toEqual([403, "CSRF_REJECTED"]);
  const read = await nobody.get(incidents, { headers });
  expect([read.status, corsOf(read)]).toEqual([200, []]);
});
