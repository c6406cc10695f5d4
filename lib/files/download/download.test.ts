import { createHash } from "node:crypto";
import { mkdtemp, readdir, readlink, rm, stat, utimes, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

let dataDir: string;
let download: typeof import("./download.ts");
let keep: (bytes: Buffer | string) => Promise<string>;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "heed-download-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
  download = await import("./download.ts");
  const { createStorageKey, getFileStorage } = await import("#lib/files/storage/storage.ts");
  keep = async (bytes) => {
    const key = createStorageKey();
    const file = path.join(dataDir, key);
    await writeFile(file, bytes);
    await getFileStorage().put(key, file, "text/plain");
    return key;
  };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true, force: true });
});

describe("formatContentDisposition", () => {
  const cases: [string, string][] = [
    ["note.txt", `attachment; filename="note.txt"; filename*=UTF-8''note.txt`],
    [
      "Zoë's (copy) 100%.pdf",
      `attachment; filename="Zoe's (copy) 100_.pdf"; filename*=UTF-8''Zo%C3%AB%27s%20%28copy%29%20100%25.pdf`,
    ],
    [
      'a"; filename="evil.html',
      `attachment; filename="a_; filename=_evil.html"; filename*=UTF-8''a%22%3B%20filename%3D%22evil.html`,
    ],
    [
      "a\r\nSet-Cookie: x=1",
      `attachment; filename="a__Set-Cookie: x=1"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1`,
    ],
    ["会議.txt", `attachment; filename="__.txt"; filename*=UTF-8''%E4%BC%9A%E8%AD%B0.txt`],
  ];
  it.each(cases)("quotes and encodes the name %j", (filename, header) =>
    expect(download.formatContentDisposition(filename)).toBe(header),
  );
});

describe("buildAttachmentHeaders", () => {
  it("prevent sniffing, execution, caching and reads by another site", () => {
    expect(Object.fromEntries(download.buildAttachmentHeaders("note.txt", "text/plain", 4))).toEqual({
      "content-type": "text/plain",
      "content-length": "4",
      "x-heed-length": "4",
      "content-disposition": `attachment; filename="note.txt"; filename*=UTF-8''note.txt`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-store",
      "cross-origin-resource-policy": "same-origin",
    });
  });
});

describe("createFileDownloadResponse", () => {
  /** The files that this process has open in the data folder. */
  const openFiles = async () => {
    const all = await readdir("/proc/self/fd");
    const targets = await Promise.all(all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
    return targets.filter((target) => target.startsWith(path.join(dataDir, "files")));
  };
  const expectNothingOpen = () =>
    vi.waitFor(async () => expect(await openFiles()).toEqual([]), { timeout: 20_000 });

  const sha256 = createHash("sha256").update("hello").digest("hex");
  const hello = (key: string) => ({ key, filename: "a.txt", type: "text/plain", size: 5, sha256 });
  const placeOf = (key: string) => path.join(dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);

  const ranges: [
    range: string,
    ifRange: string | undefined,
    status: number,
    text: string,
    part: string | null,
  ][] = [
    ["bytes=0-1", undefined, 206, "he", "bytes 0-1/5"],
    ["bytes=1-", undefined, 206, "ello", "bytes 1-4/5"],
    ["bytes=3-99", undefined, 206, "lo", "bytes 3-4/5"],
    ["bytes=-2", undefined, 206, "lo", "bytes 3-4/5"],
    ["bytes=-99", undefined, 206, "hello", "bytes 0-4/5"],
    ["bytes=4-4", `"${sha256}"`, 206, "o", "bytes 4-4/5"],
    ["bytes=4-4", '"abcd"', 200, "hello", null],
    ["bytes=4-4", "Wed, 21 Oct 2026 07:28:00 GMT", 200, "hello", null],
    ["bytes=3-1", undefined, 200, "hello", null],
    ["bytes=0-1,3-4", undefined, 200, "hello", null],
    ["bytes=-", undefined, 200, "hello", null],
    ["lines=0-1", undefined, 200, "hello", null],
  ];
  it.each(ranges)(
    "answers Range %s with If-Range %s by %i %s",
    async (range, ifRange, status, text, part) => {
      const request = new Request("http://x/", {
        headers: { range, ...(ifRange && { "if-range": ifRange }) },
      });
      const response = await download.createFileDownloadResponse(request, hello(await keep("hello")));
      expect([response.status, response.headers.get("content-range")]).toEqual([status, part]);
      expect(response.headers.get("content-length")).toBe(String(text.length));
      expect(await response.text()).toBe(text);
      await expectNothingOpen();
    },
  );

  it.each(["bytes=5-", "bytes=99-100", "bytes=-0"])(
    "refuses Range %s with the size of the file",
    async (range) => {
      const request = new Request("http://x/", { headers: { range } });
      await expect(
        download.createFileDownloadResponse(request, hello(await keep("hello"))),
      ).rejects.toMatchObject({
        code: "RANGE_NOT_SATISFIABLE",
        headers: { "Content-Range": "bytes */5" },
      });
      expect(await openFiles()).toEqual([]);
    },
  );

  it("streams the file and closes it", async () => {
    const key = await keep("hello");
    const response = await download.createFileDownloadResponse(new Request("http://x/"), hello(key));
    const { headers } = response;
    expect([response.status, headers.get("content-length"), headers.get("etag")]).toEqual([
      200,
      "5",
      `"${sha256}"`,
    ]);
    expect([headers.get("accept-ranges"), headers.get("content-range")]).toEqual(["bytes", null]);
    expect(await response.text()).toBe("hello");
    await expectNothingOpen();
  });

  it.each([
    ["utf-8", Buffer.from("Grüße, 会議")],
    ["windows-1252", Buffer.from("Grüße aus Zürich", "latin1")],
    ["utf-16le", Buffer.from("\ufeffGrüße, 会議", "utf16le")],
  ])("hands out a text in %s as it came, and says so", async (encoding, bytes) => {
    const file = { ...hello(await keep(bytes)), size: bytes.length };
    const sent = { ...file, sha256: createHash("sha256").update(bytes).digest("hex") };
    const response = await download.createFileDownloadResponse(new Request("http://x/"), sent);
    expect(response.headers.get("content-type")).toBe(`text/plain; charset=${encoding}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  it("answers HEAD without a body, with nothing left open", async () => {
    const key = await keep("hello");
    const request = new Request("http://x/", { method: "HEAD" });
    const response = await download.createFileDownloadResponse(request, hello(key));
    expect([response.body, response.headers.get("content-length")]).toEqual([null, "5"]);
    await expectNothingOpen();
  });

  it("closes the file when the client goes away", async () => {
    // More than all downloads together may buffer in memory.
    const size = 33 * 1024 * 1024;
    const key = await keep(Buffer.alloc(size));
    const server = http.createServer(async (_, outgoing) => {
      const aborter = new AbortController();
      outgoing.once("close", () => aborter.abort());
      const request = new Request("http://x/", { signal: aborter.signal });
      const response = await download.createFileDownloadResponse(request, {
        key,
        filename: "a.bin",
        type: "video/mp4",
        size,
        sha256: createHash("sha256").update(Buffer.alloc(size)).digest("hex"),
      });
      outgoing.writeHead(200, Object.fromEntries(response.headers));
      Readable.fromWeb(response.body as never)
        .on("error", () => {})
        .pipe(outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const incoming = await new Promise<http.IncomingMessage>((resolve) =>
      http.get({ port, host: "127.0.0.1" }, resolve),
    );
    await new Promise((resolve) => incoming.once("readable", resolve));
    // That by which the file was verified may take a moment to close.
    await vi.waitFor(async () => expect(await openFiles()).toHaveLength(1), { timeout: 20_000 });
    incoming.destroy();
    await expectNothingOpen();
    server.close();
  });

  const damages: [what: string, bytes: string][] = [
    ["that was changed", "hallo"],
    ["that was cut off", "hell"],
    ["that grew", "hello."],
    ["that is empty", ""],
  ];
  it.each(damages)("refuses a file %s, in whole and in part, until it is put back", async (_, bytes) => {
    const key = await keep("hello");
    const part = new Request("http://x/", { headers: { range: "bytes=0-1" } });
    const requests = [part, new Request("http://x/"), new Request("http://x/", { method: "HEAD" })];
    const statuses = async () =>
      Promise.all(
        requests.map((request) =>
          download.createFileDownloadResponse(request, hello(key)).then(
            async ({ status, body }) => [status, await new Response(body).text()],
            (error: Error) => error.message,
          ),
        ),
      );
    const whole = [
      [206, "he"],
      [200, "hello"],
      [200, ""],
    ];
    expect(await statuses()).toEqual(whole);
    await writeFile(placeOf(key), bytes);
    expect(await statuses()).toEqual(Array.from({ length: 3 }, () => "This file is damaged."));
    await expectNothingOpen();
    await writeFile(placeOf(key), "hello");
    expect(await statuses()).toEqual(whole);
  });

  it("verifies a whole file on each download, even if its modification time is unchanged", async () => {
    const key = await keep("hello");
    const { mtime } = await stat(placeOf(key));
    await (await download.createFileDownloadResponse(new Request("http://x/"), hello(key))).text();
    await writeFile(placeOf(key), "hallo");
    await utimes(placeOf(key), mtime, mtime);
    await expect(download.createFileDownloadResponse(new Request("http://x/"), hello(key))).rejects.toThrow(
      "This file is damaged.",
    );
  });

  it("reads a part without the rest for ten minutes after the file was verified", async () => {
    const key = await keep("hello");
    const { mtime } = await stat(placeOf(key));
    const part = async () => {
      const request = new Request("http://x/", { headers: { range: "bytes=0-2" } });
      return (await download.createFileDownloadResponse(request, hello(key))).text();
    };
    expect(await part()).toBe("hel");
    const verifiedAt = performance.now();
    const clock = vi.spyOn(performance, "now");
    await writeFile(placeOf(key), "hellO");
    await utimes(placeOf(key), mtime, mtime);
    clock.mockReturnValue(verifiedAt + 9 * 60_000);
    expect(await part()).toBe("hel");
    clock.mockReturnValue(verifiedAt + 11 * 60_000);
    // The cache reads its clock once a millisecond.
    await vi.waitFor(() => expect(part()).rejects.toThrow("This file is damaged."), { timeout: 20_000 });
    clock.mockRestore();
  });

  it.each([1, 2])("closes a text when the storage fails at read number %i", async (failingRead) => {
    const key = await keep("hello");
    const { getFileStorage } = await import("#lib/files/storage/storage.ts");
    const storage = getFileStorage();
    const { open } = storage;
    const opened: Readable[] = [];
    const opening = vi.spyOn(storage, "open").mockImplementation(async (...given) => {
      const file = await open(...given);
      opened.push(file.stream);
      if (opened.length === failingRead) file.stream.destroy(new Error("connection lost"));
      return file;
    });
    await expect(
      download.createFileDownloadResponse(new Request("http://x/"), hello(key)),
    ).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      key: "fileUnreadable",
    });
    opening.mockRestore();
    expect(opened.map(({ destroyed }) => destroyed)).toEqual(opened.map(() => true));
    await expectNothingOpen();
  });

  it("answers NOT_FOUND for a file that is gone", async () => {
    const gone = hello("00000000-0000-4000-8000-000000000000");
    await expect(download.createFileDownloadResponse(new Request("http://x/"), gone)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("createPublicImageResponse", () => {
  const image = async () => ({ key: await keep("webp bytes"), type: "image/webp", etag: '"abc"' });
  const get = (headers: Record<string, string> = {}) => new Request("http://x/", { headers });

  it("is public for five minutes, with type and ETag", async () => {
    const response = await download.createPublicImageResponse(get(), await image());
    const { headers } = response;
    expect(response.status).toBe(200);
    expect([
      headers.get("cache-control"),
      headers.get("etag"),
      headers.get("content-type"),
      headers.get("x-content-type-options"),
    ]).toEqual(["public, max-age=300", '"abc"', "image/webp", "nosniff"]);
    expect(await response.text()).toBe("webp bytes");
  });

  it.each(['"abc"', 'W/"abc"', '"x", "abc"', "*"])("answers 304 to If-None-Match: %s", async (known) => {
    const response = await download.createPublicImageResponse(get({ "If-None-Match": known }), await image());
    expect([response.status, response.body, response.headers.get("etag")]).toEqual([304, null, '"abc"']);
  });

  it("answers 200 to another ETag", async () => {
    const response = await download.createPublicImageResponse(
      get({ "If-None-Match": '"abcd"' }),
      await image(),
    );
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});
