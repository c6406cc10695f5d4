import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_FORM_REQUEST_BODY_BYTES } from "#lib/design/form-size.ts";
import { MAX_FORM_FIELDS, readFormWithinBounds } from "./page-form.ts";
import { MAX_HEADER_LENGTH, MAX_QUERY_PARAMETERS } from "./request-bounds.ts";
import { createRequestGuard, isFormOfPage } from "./request-guard.ts";

/** Size limits of forms, as the request guard in front of the pages applies them. */

const guard = createRequestGuard({
  TRUSTED_PROXIES: "",
  corsOrigins: [],
  https: false,
  production: false,
  baseUrl: "http://localhost:3000",
});
/** Responds with the User-Agent and the number of bytes that it received. */
const server = http.createServer({ requireHostHeader: false }, async (request, response) => {
  if (!guard(request, response)) return;
  const bounded = isFormOfPage(request) ? await readFormWithinBounds(request, response) : request;
  if (!bounded) return;
  const bytes = Buffer.concat(await bounded.toArray());
  response.setHeader("X-User-Agent", bounded.headers["user-agent"] ?? "");
  response.end(`taken ${bytes.length}`);
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function post(path: string, bytes: number): Promise<[status: number, text: string]> {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: new Uint8Array(bytes),
  });
  return [answer.status, await answer.text()];
}

test("a form that is too large gets a readable error page once it has arrived", async () => {
  expect(await post("/account", MAX_FORM_REQUEST_BODY_BYTES)).toEqual([
    200,
    `taken ${MAX_FORM_REQUEST_BODY_BYTES}`,
  ]);
  const [status, text] = await post("/account", MAX_FORM_REQUEST_BODY_BYTES + 1);
  expect(status).toBe(413);
  expect(text).toMatch(/^Not sent: this form holds too much\. Go back/);
});

/** Paths of the routes beside pages whose source takes files from a form. */
function listUploadPaths(): string[] {
  const root = path.resolve(import.meta.dirname, "../../app");
  const routes = fs.readdirSync(root, { recursive: true, encoding: "utf8" });
  return routes
    .filter((file) => path.basename(file) === "route.ts" && !file.startsWith("api"))
    .filter((file) =>
      /submitUploadFormToOperation|handleMailboxFormPost/.test(
        fs.readFileSync(path.join(root, file), "utf8"),
      ),
    )
    .map((file) => `/${path.dirname(file)}`.replace(/\/\(\w+\)/g, "").replace(/\[\w+\]/g, "spring"));
}

test.each(listUploadPaths())("%s takes files, and is asked itself how large they may be", async (address) => {
  expect(await post(address, MAX_FORM_REQUEST_BODY_BYTES + 1)).toEqual([
    200,
    `taken ${MAX_FORM_REQUEST_BODY_BYTES + 1}`,
  ]);
});

test.each([
  "/e/add",
  "/orgs/files",
  "/e/logo",
  "/e/spring/send",
  "/orgs/avatar/settings",
  "/e/spring/i/files",
])("%s is a page with the name of an upload route, and refuses a form that is too large", async (address) => {
  expect((await post(address, MAX_FORM_REQUEST_BODY_BYTES + 1))[0]).toBe(413);
});

test("the form of a mailbox is among those that take files", () => {
  expect(listUploadPaths()).toEqual(expect.arrayContaining(["/mailbox/add"]));
  expect(listUploadPaths().length).toBeGreaterThanOrEqual(6);
});

test("a large form to an API path gets a JSON error", async () => {
  expect(await post("/api/events/spring/incidents", MAX_FORM_REQUEST_BODY_BYTES + 1)).toEqual([
    200,
    `taken ${MAX_FORM_REQUEST_BODY_BYTES + 1}`,
  ]);
});

describe("what the framework gets to read is bounded", () => {
  const send = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
  const parameters = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=x`).join("&");
  const REFUSAL = { code: "VALIDATION_ERROR" };

  test("the number of parameters of an address", async () => {
    expect((await send(`/api/session?${parameters(MAX_QUERY_PARAMETERS)}`)).status).toBe(200);
    const refused = await send(`/api/session?${parameters(MAX_QUERY_PARAMETERS + 1)}`);
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining(REFUSAL)]);
    expect((await send(`/login?${parameters(MAX_QUERY_PARAMETERS + 1)}`)).status).toBe(400);
  });

  test.each(["accept-language", "x-anything"])("the length of %s", async (name) => {
    const ask = (length: number) => send("/api/session", { headers: { [name]: "x".repeat(length) } });
    expect((await ask(MAX_HEADER_LENGTH)).status).toBe(200);
    const refused = await ask(MAX_HEADER_LENGTH + 1);
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining(REFUSAL)]);
  });

  test("the length of the cookies, which are dropped", async () => {
    const cookie = "x".repeat(MAX_HEADER_LENGTH + 1);
    expect((await send("/api/session", { headers: { cookie } })).status).toBe(200);
  });

  test("the length of the User-Agent, which is cut", async () => {
    const { status, headers } = await send("/login", { headers: { "user-agent": "x".repeat(513) } });
    expect([status, headers.get("x-user-agent")]).toEqual([200, "x".repeat(512)]);
  });

  test("the number of fields of a form", async () => {
    const form = (count: number) => {
      const data = new FormData();
      for (let n = 0; n < count; n += 1) data.append(`f${n}`, "x");
      return data;
    };
    for (const encode of [form, (count: number) => new URLSearchParams(parameters(count))]) {
      const [whole, refused] = [MAX_FORM_FIELDS, MAX_FORM_FIELDS + 1].map((count) =>
        send("/account", { method: "POST", body: encode(count) }),
      );
      expect((await whole)?.status).toBe(200);
      expect((await refused)?.status).toBe(400);
    }
  });

  test("the size of a form of unknown length", async () => {
    const body = new Blob([new Uint8Array(MAX_FORM_REQUEST_BODY_BYTES + 1)]).stream();
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await send("/account", init)).status).toBe(413);
  });
});

/** Returns the status of a request without headers, as load balancers send it. */
const bareStatus = (method: string, path: string, version: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1", () =>
      socket.write(`${method} ${path} HTTP/${version}\r\n\r\n`),
    );
    socket.once("data", (chunk) => {
      resolve(chunk.toString().slice(9, 12));
      socket.destroy();
    });
    socket.once("error", reject);
  });

test("health paths take requests without a Host header, and nothing else does", async () => {
  for (const path of ["/api/health", "/api/health/live", "/api/health/ready", "/api/health/ready?from=lb"])
    for (const version of ["1.0", "1.1"]) expect(await bareStatus("GET", path, version)).toBe("200");
  for (const path of ["/", "/api/health/other", "/api/metrics", "/api/users/me/incidents"])
    expect(await bareStatus("GET", path, "1.0")).toBe("400");
});

test.each(["/api/Session", "/api/SESSION", "/Session", "/EVENTS/slug/fair"])(
  "%s is 404, since a path is spelled in one way",
  async (path) => {
    const { port } = server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404);
  },
);
