import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_FORM_REQUEST_BODY_BYTES } from "#lib/design/form-size.ts";
import { createRequestGuard } from "./request-guard.ts";

/** Size limits of forms, as the request guard in front of the pages applies them. */

const guard = createRequestGuard({
  TRUSTED_PROXIES: "",
  corsOrigins: [],
  https: false,
  production: false,
  baseUrl: "http://localhost:3000",
});
const server = http.createServer({ requireHostHeader: false }, (request, response) => {
  if (guard(request, response)) request.resume().once("end", () => response.end("taken"));
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
  expect(await post("/account", MAX_FORM_REQUEST_BODY_BYTES)).toEqual([200, "taken"]);
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
      /submitUploadFormToOperation|handleMailboxOrLetterboxFormPost/.test(
        fs.readFileSync(path.join(root, file), "utf8"),
      ),
    )
    .map((file) => `/${path.dirname(file)}`.replace(/\/\(\w+\)/g, "").replace(/\[\w+\]/g, "spring"));
}

test.each(listUploadPaths())("%s takes files, and is asked itself how large they may be", async (address) => {
  expect(await post(address, MAX_FORM_REQUEST_BODY_BYTES + 1)).toEqual([200, "taken"]);
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

test("forms of mailboxes and letterboxes are among those that take files", () => {
  expect(listUploadPaths()).toEqual(expect.arrayContaining(["/mailbox/add", "/letterbox/add"]));
  expect(listUploadPaths().length).toBeGreaterThanOrEqual(7);
});

test("a large form to an API path gets a JSON error", async () => {
  expect(await post("/api/events/spring/incidents", MAX_FORM_REQUEST_BODY_BYTES + 1)).toEqual([200, "taken"]);
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
