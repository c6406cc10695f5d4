import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compressTextFilesUsingCache } from "#lib/build/compress.ts";
import { parseAcceptedEncodings, createStaticFileHandler } from "./static-files.ts";

const SCRIPT = "const answer = 42; // again and again\n".repeat(200);
const root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-static-"));
let server: http.Server;

beforeAll(async () => {
  const folder = path.join(root, "static");
  fs.mkdirSync(path.join(folder, "chunks"), { recursive: true });
  fs.writeFileSync(path.join(folder, "chunks", "a.js"), SCRIPT);
  fs.writeFileSync(path.join(root, "secret.js"), SCRIPT);
  await compressTextFilesUsingCache(folder, path.join(root, "cache"));
  const serve = createStaticFileHandler(folder);
  server = http.createServer((request, response) => {
    if (!serve(request, response)) response.writeHead(404).end(`elsewhere ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  fs.rmSync(root, { recursive: true });
});

type Answer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };

const ask = (url: string, headers: http.OutgoingHttpHeaders = {}, method = "GET"): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const request = http.request({ port, host: "127.0.0.1", path: url, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    });
    request.on("error", reject).end();
  });

const A = "/_next/static/chunks/a.js";

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.1, gzip", "br"],
  ["gzip, br;q=0", "gzip"],
  ["gzip;q=0", undefined],
  ["identity", undefined],
])("to a browser that takes %s the script goes as %s", async (accepted, encoding) => {
  const { status, headers, body } = await ask(A, { "accept-encoding": accepted });
  expect([status, headers["content-encoding"]]).toEqual([200, encoding]);
  const open = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ""] ?? ((given: Buffer) => given);
  expect(open(body).toString()).toBe(SCRIPT);
  expect(Number(headers["content-length"])).toBe(body.length);
  expect(headers.vary).toBe("Accept-Encoding");
  expect(headers["content-type"]).toBe("text/javascript");
  expect(headers["cache-control"]).toBe("public,max-age=31536000,immutable");
});

test("HEAD returns the same headers without a body", async () => {
  const { status, headers, body } = await ask(A, { "accept-encoding": "br" }, "HEAD");
  const full = await ask(A, { "accept-encoding": "br" });
  expect([status, body.length]).toEqual([200, 0]);
  expect(headers["content-length"]).toBe(full.headers["content-length"]);
});

test("a range request gets the whole file", async () => {
  for (const range of ["bytes=0-9", "bytes=-5", "bytes=999999-", "nonsense"]) {
    const { status, body } = await ask(A, { range });
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
  }
});

test("a file that the browser has already is not sent again", async () => {
  const { etag } = (await ask(A)).headers;
  expect((await ask(A, { "if-none-match": etag })).status).toBe(304);
});

test("other paths and methods are passed on with an unchanged URL", async () => {
  for (const url of [
    "/_next/static/chunks/b.js",
    "/_next/static/../secret.js",
    "/_next/static/%2e%2e/secret.js",
    "/_next/static/%zz",
    "/_next/staticchunks/a.js",
    "/",
  ])
    expect((await ask(url)).body.toString()).toBe(`elsewhere ${url}`);
  expect((await ask(A, {}, "POST")).body.toString()).toBe(`elsewhere ${A}`);
});

test("a weight of 0 refuses an encoding, and unknown encodings are skipped", () => {
  expect(parseAcceptedEncodings(["gzip", "BR;q=0.000"])).toEqual(["gzip"]);
  expect(parseAcceptedEncodings("zstd, x-br, bro")).toEqual([]);
  expect(parseAcceptedEncodings(undefined)).toEqual([]);
});
