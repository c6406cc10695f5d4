import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AppError } from "#lib/operation/errors.ts";
import type { ParsedMultipartForm, MultipartBodyLimits } from "./multipart.ts";

const MIB = 1024 * 1024;
const LIMITS: MultipartBodyLimits = {
  files: { field: ["relatedFiles", "relatedFiles[]"], max: 3, maxBytesEach: 2 * MIB, maxBytesTotal: 5 * MIB },
  fields: { maxCount: 5, maxBytes: 1000, isList: (name) => name === "ids" },
  // A stall of this process counts as one of the sender.
  stallMs: 60_000,
};

type Outcome = { upload?: ParsedMultipartForm; error?: AppError; hashes?: string[] };

let dataDir: string;
let server: http.Server;
let port: number;
let limits = LIMITS;
let outcome: Promise<Outcome>;
let settle: (outcome: Outcome) => void;

/** A real HTTP server that passes its requests to `readMultipartForm` the way Next does. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "heed-multipart-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
  vi.stubEnv("BASE_URL", "");
  vi.stubEnv("LOG_LEVEL", "silent");
  const { readMultipartForm } = await import("./multipart.ts");
  server = http.createServer(async (incoming, response) => {
    const headers = new Headers(incoming.headers as Record<string, string>);
    const init = { method: "POST", headers, body: incoming, duplex: "half" };
    const request = new Request("http://localhost/", init as unknown as RequestInit);
    try {
      const upload = await readMultipartForm(request, limits);
      const contents = await Promise.all(upload.files.map((file) => readFile(file.path)));
      const hashes = contents.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
      settle({ upload, hashes });
      response.end("{}");
    } catch (error) {
      settle({ error: error as AppError });
      response
        .writeHead((error as AppError).status ?? 500, (error as AppError).headers)
        .end((error as AppError).code);
    }
  });
  server.keepAliveTimeout = 500;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as net.AddressInfo).port;
});

afterEach(() => {
  limits = LIMITS;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true, force: true });
});

const expectOutcome = () => {
  outcome = new Promise((resolve) => (settle = resolve));
};

/** Request folders that are still on the disk. */
const leftovers = async () =>
  existsSync(path.join(dataDir, "tmp")) ? readdir(path.join(dataDir, "tmp")) : [];

async function send(
  body: FormData | Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<Outcome & { status: number }> {
  expectOutcome();
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: body as BodyInit,
    headers,
  });
  await response.text();
  return { ...(await outcome), status: response.status };
}

const form = (...entries: [string, string | Blob, string?][]): FormData => {
  const data = new FormData();
  for (const [name, value, filename] of entries) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, value, filename);
  }
  return data;
};

const TYPE = { "Content-Type": "multipart/form-data; boundary=cut" };
const part = (headers: string, body: string | Buffer) =>
  Buffer.concat([Buffer.from(`--cut\r\n${headers}\r\n\r\n`), Buffer.from(body), Buffer.from("\r\n")]);
const raw = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from("--cut--\r\n")]);
const filePart = (filename: string, body: string | Buffer, field = "relatedFiles") =>
  part(
    `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: image/png`,
    body,
  );

describe("readMultipartForm accepts valid bodies", () => {
  it("joins the values of a list, with brackets and without", async () => {
    for (const name of ["ids", "others[]"]) {
      const { upload } = await send(form([name, "a"], [name, "b"]));
      expect(upload?.fields).toEqual({ [name.replace("[]", "")]: "a\nb" });
      await upload?.discard();
    }
  });

  it("keeps fields and files whole, and discards them on demand", async () => {
    const photo = randomBytes(1.5 * MIB);
    const { upload, hashes } = await send(
      form(
        ["title", "Löud 🎉"],
        ["relatedFiles", new Blob([photo]), "photo.png"],
        ["relatedFiles[]", new Blob(["note"]), "note.txt"],
      ),
    );
    expect(upload?.fields).toEqual({ title: "Löud 🎉" });
    expect(upload?.files.map(({ field, filename, size }) => ({ field, filename, size }))).toEqual([
      { field: "relatedFiles", filename: "photo.png", size: photo.length },
      { field: "relatedFiles[]", filename: "note.txt", size: 4 },
    ]);
    expect(hashes).toEqual(upload?.files.map((file) => file.sha256));
    expect(hashes?.[0]).toBe(createHash("sha256").update(photo).digest("hex"));
    await upload?.discard();
    await upload?.discard();
    expect(await leftovers()).toEqual([]);
  });

  it("joins the values of a name that ends in brackets by line breaks", async () => {
    const { upload } = await send(form(["people[]", "one"], ["people[]", "two"], ["people[]", "three"]));
    expect(upload?.fields).toEqual({ people: "one\ntwo\nthree" });
    await upload?.discard();
  });

  it("takes a file of exactly the limit, and as many as the limit", async () => {
    const exact = new Blob([Buffer.alloc(2 * MIB, "\r\n--")]);
    const { upload } = await send(
      form(
        ["relatedFiles", exact, "a"],
        ["relatedFiles", exact, "b"],
        ["relatedFiles", new Blob([Buffer.alloc(MIB)]), "c"],
      ),
    );
    expect(upload?.files.map((file) => file.size)).toEqual([2 * MIB, 2 * MIB, MIB]);
    await upload?.discard();
  });

  it("keeps bytes that look like boundaries, whatever the chunks", async () => {
    const tricky = Buffer.from("\r\n--cu\r\n--cutX\r\r\n\r\n--\n--cut".repeat(5000));
    const { upload, hashes } = await send(raw(filePart("a.bin", tricky)), TYPE);
    expect(hashes).toEqual([createHash("sha256").update(tricky).digest("hex")]);
    await upload?.discard();
  });

  it("keeps bytes that look like different boundaries in one chunk", async () => {
    const tricky = "a\r\n--cut-xb\r\n--cut\rxc";
    const { upload } = await send(
      raw(
        part('Content-Disposition: form-data; name="title"', tricky),
        part('Content-Disposition: form-data; name="type"', "x"),
      ),
      TYPE,
    );
    expect(upload?.fields).toEqual({ title: tricky, type: "x" });
    await upload?.discard();
  });

  it("counts an empty file input of a browser as no file", async () => {
    const { upload } = await send(
      raw(filePart("", ""), part('Content-Disposition: form-data; name="title"', "x")),
      TYPE,
    );
    expect(upload?.files).toEqual([]);
    expect(upload?.fields).toEqual({ title: "x" });
    await upload?.discard();
  });

  it("reads a body without Content-Length, a quoted boundary and a field with a content type", async () => {
    expectOutcome();
    const body = raw(
      part('Content-Disposition: form-data; name="title"\r\nContent-Type: text/plain', "chunked"),
    );
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: new Blob([body as BlobPart]).stream(),
      headers: { "Content-Type": 'multipart/form-data; charset=utf-8; boundary="cut"' },
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(200);
    const { upload } = await outcome;
    expect(upload?.fields).toEqual({ title: "chunked" });
    await upload?.discard();
  });

  it("never makes a path of a file's name", async () => {
    const names = [
      "../../etc/passwd",
      "C:\\temp\\x.png",
      'a\\"b.png',
      "CON",
      "..",
      "\u202egnp.exe",
      "x".repeat(3000) + ".pdf",
    ];
    for (const name of names) {
      const { upload } = await send(raw(filePart(name, "x")), TYPE);
      const file = upload?.files[0];
      expect(path.dirname(path.dirname(file?.path ?? ""))).toBe(path.join(dataDir, "tmp"));
      expect(file?.filename).toMatch(/^[^/\\\p{Cc}]{1,255}$/u);
      await upload?.discard();
    }
  });

  it("reads a field called __proto__ like any other", async () => {
    const { upload } = await send(form(["__proto__", "x"]));
    expect(Object.getPrototypeOf(upload?.fields)).toBe(Object.prototype);
    await upload?.discard();
  });
});

describe("readMultipartForm refuses, and keeps nothing", () => {
  const blob = (bytes: number) => new Blob([Buffer.alloc(bytes, 7)]);
  const field = (name: string, value: string | Buffer) =>
    part(`Content-Disposition: form-data; name="${name}"`, value);
  const many = (count: number) => Array.from({ length: count }, (_, i) => field(`f${i}`, "x"));

  const cases: [string, number, string, () => ReturnType<typeof send>][] = [
    ["JSON", 415, "UNSUPPORTED_MEDIA_TYPE", () => send("{}", { "Content-Type": "application/json" })],
    [
      "an octet stream",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      () => send(Buffer.alloc(9), { "Content-Type": "application/octet-stream" }),
    ],
    [
      "multipart/mixed",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      () => send(raw(), { "Content-Type": "multipart/mixed; boundary=cut" }),
    ],
    [
      "a missing boundary",
      400,
      "VALIDATION_ERROR",
      () => send(raw(), { "Content-Type": "multipart/form-data" }),
    ],
    [
      "a boundary of 5 kB",
      400,
      "VALIDATION_ERROR",
      () => send(raw(), { "Content-Type": `multipart/form-data; boundary=${"b".repeat(5000)}` }),
    ],
    ["an empty body", 400, "VALIDATION_ERROR", () => send("", TYPE)],
    ["a body of another kind", 400, "VALIDATION_ERROR", () => send("title=x&type=y", TYPE)],
    ["a body cut inside a file", 400, "VALIDATION_ERROR", () => send(filePart("a", "half"), TYPE)],
    [
      "a body cut after a boundary",
      400,
      "VALIDATION_ERROR",
      () => send(Buffer.concat([field("a", "x"), Buffer.from("--cut")]), TYPE),
    ],
    [
      "a body cut after a boundary line",
      400,
      "VALIDATION_ERROR",
      () => send(Buffer.concat([field("a", "x"), Buffer.from("--cut\r\n")]), TYPE),
    ],
    [
      "a part header of 1 MB",
      400,
      "VALIDATION_ERROR",
      () => send(raw(part(`X: ${"h".repeat(1e6)}`, "x")), TYPE),
    ],
    ["a part without a disposition", 400, "VALIDATION_ERROR", () => send(raw(part("X: y", "x")), TYPE)],
    [
      "a part without a name",
      400,
      "VALIDATION_ERROR",
      () => send(raw(part("Content-Disposition: form-data", "x")), TYPE),
    ],
    [
      "a transfer encoding",
      400,
      "VALIDATION_ERROR",
      () =>
        send(
          raw(part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', "eA==")),
          TYPE,
        ),
    ],
    ["a file under another name", 400, "VALIDATION_ERROR", () => send(form(["photo", blob(5), "a.png"]))],
    ["text under a file's name", 400, "VALIDATION_ERROR", () => send(form(["relatedFiles", "text"]))],
    ["an empty file", 400, "VALIDATION_ERROR", () => send(form(["relatedFiles", blob(0), "a.png"]))],
    ["a field sent twice", 400, "VALIDATION_ERROR", () => send(form(["title", "a"], ["title", "b"]))],
    ["NUL in a field", 400, "VALIDATION_ERROR", () => send(form(["title", "a\0b"]))],
    [
      "a field that isn't UTF-8",
      400,
      "VALIDATION_ERROR",
      () => send(raw(field("title", Buffer.from([0xc3, 0x28]))), TYPE),
    ],
    ["more fields than the limit", 413, "PAYLOAD_TOO_LARGE", () => send(raw(...many(6)), TYPE)],
    ["10,000 fields", 413, "PAYLOAD_TOO_LARGE", () => send(raw(...many(10_000)), TYPE)],
    ["fields over their bytes", 413, "PAYLOAD_TOO_LARGE", () => send(form(["title", "x".repeat(1001)]))],
    [
      "a file one byte over",
      413,
      "PAYLOAD_TOO_LARGE",
      () => send(form(["relatedFiles", blob(2 * MIB + 1), "a"])),
    ],
    [
      "one file too many",
      413,
      "PAYLOAD_TOO_LARGE",
      () =>
        send(
          form(...Array.from({ length: 4 }, (): [string, Blob, string] => ["relatedFiles", blob(9), "a"])),
        ),
    ],
    [
      "files over the total",
      413,
      "PAYLOAD_TOO_LARGE",
      () =>
        send(
          form(
            ...Array.from({ length: 3 }, (): [string, Blob, string] => [
              "relatedFiles",
              blob(2 * MIB - 9),
              "a",
            ]),
          ),
        ),
    ],
    ["a declared length over the total", 413, "PAYLOAD_TOO_LARGE", () => send(Buffer.alloc(6 * MIB), TYPE)],
  ];

  it.each(cases)("%s: %i %s", async (_, status, code, attempt) => {
    const got = await attempt();
    expect({ status: got.status, code: got.error?.code }).toEqual({ status, code });
    expect(got.error?.details).toMatch(/\w/);
    expect(await leftovers()).toEqual([]);
  });

  it("two files for a single one: 400", async () => {
    limits = { ...LIMITS, files: { ...LIMITS.files, field: ["logo"], max: 1 } };
    const got = await send(form(["logo", blob(5), "a"], ["logo", blob(5), "b"]));
    expect(got.error?.details).toBe("logo: was sent more than once");
    expect(await leftovers()).toEqual([]);
  });
});

describe("readMultipartForm and senders that misbehave", () => {
  const start = (declared: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=cut\r\nContent-Length: ${declared}\r\n\r\n`;

  it("a sender that breaks off leaves nothing", async () => {
    expectOutcome();
    const socket = net.connect(port, "127.0.0.1");
    socket.write(start(4 * MIB));
    socket.write(filePart("a.png", Buffer.alloc(600_000)));
    await vi.waitFor(async () => expect(await leftovers()).toHaveLength(1), { timeout: 20_000 });
    socket.destroy();
    const { error } = await outcome;
    expect(error?.code).toBe("VALIDATION_ERROR");
    expect(await leftovers()).toEqual([]);
  });

  it("a sender that stalls is refused", async () => {
    limits = { ...LIMITS, stallMs: 300 };
    expectOutcome();
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    socket.write(start(4 * MIB));
    socket.write(filePart("a.png", Buffer.alloc(600_000)));
    const { error } = await outcome;
    expect(error?.message).toBe("The upload took too long.");
    expect(await leftovers()).toEqual([]);
    socket.destroy();
  });

  it("a refusal is answered while the sender is still sending", async () => {
    expectOutcome();
    const socket = net.connect(port, "127.0.0.1");
    const answer = new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
    // The service may end the connection first.
    socket.on("error", () => {});
    socket.write(start(5 * MIB));
    socket.write(filePart("a.png", Buffer.alloc(2 * MIB + 70_000)).subarray(0, -2));
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(await leftovers()).toEqual([]);
    socket.destroy();
  });

  it("an endless body is answered, with memory flat", async () => {
    expectOutcome();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const socket = net.connect(port, "127.0.0.1");
    const answer = new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
    socket.on("error", () => {});
    socket.write(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=cut\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
    socket.write(chunk(filePart("big.bin", "x").subarray(0, -2)));
    const more = chunk(Buffer.alloc(64 * 1024, 1));
    let isRefused = false;
    const refusal = outcome.then(() => (isRefused = true));
    let sent = 0;
    for (; !isRefused && sent < 200 * MIB; sent += more.length)
      if (!socket.write(more))
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), refusal]);
    clearInterval(watch);
    expect((await outcome).error?.code).toBe("PAYLOAD_TOO_LARGE");
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(sent).toBeLessThan(60 * MIB);
    expect(peak - before).toBeLessThan(48 * MIB);
    expect(await leftovers()).toEqual([]);
    socket.destroy();
  });
});
