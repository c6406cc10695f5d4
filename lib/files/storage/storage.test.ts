import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import S3rver from "s3rver";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDiskStorage } from "./disk.ts";
import { createS3Storage } from "./s3.ts";
import type { FileStorage, StorageEntry } from "./storage.ts";

let folder: string;
let s3: S3rver;
let s3Host: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-storage-"));
  const directory = path.join(folder, "buckets");
  s3 = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: "heed", configs: [] }],
  });
  const { port } = await s3.run();
  s3Host = `127.0.0.1:${port}`;
});

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

async function collect(entries: AsyncIterable<StorageEntry>): Promise<StorageEntry[]> {
  const all: StorageEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

const backEnds: [string, () => FileStorage][] = [
  ["disk", () => createDiskStorage(path.join(folder, "data"))],
  ["S3", () => createS3Storage(`http://S3RVER:S3RVER@${s3Host}/heed/one?region=eu-central-1`)],
];

describe.each(backEnds)("storage on %s", (_, make) => {
  let files: FileStorage;
  beforeEach(() => {
    files = make();
  });

  const source = async (bytes: Buffer | string) => {
    const file = path.join(folder, randomUUID());
    await writeFile(file, bytes);
    return file;
  };
  const stored = async (bytes: Buffer | string) => {
    const key = randomUUID();
    await files.put(key, await source(bytes), "text/plain");
    return key;
  };
  const keys = async () => (await collect(files.list())).map((entry) => entry.key);

  it("gives back what was put, whole, with its size", async () => {
    // Larger than one part of an S3 upload.
    const bytes = randomBytes(6 * 1024 * 1024 + 3);
    const { stream, size } = await files.open(await stored(bytes));
    expect(size).toBe(bytes.length);
    expect((await buffer(stream)).equals(bytes)).toBe(true);
  });

  it("gives a part of a file, both ends included", async () => {
    const key = await stored("0123456789");
    const { stream, size } = await files.open(key, { start: 2, end: 5 });
    expect([size, String(await buffer(stream))]).toEqual([4, "2345"]);
    const tail = await files.open(key, { start: 8, end: 99 });
    expect([tail.size, String(await buffer(tail.stream))]).toEqual([2, "89"]);
  });

  it("answers NOT_FOUND for a file that isn't there", async () => {
    await expect(files.open(randomUUID())).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("removes a file, and ignores a missing one", async () => {
    const key = await stored("x");
    await files.remove(key);
    await files.remove(key);
    await expect(files.open(key)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("lists every file with its size and time", async () => {
    const key = await stored("four");
    const entry = (await collect(files.list())).find((one) => one.key === key);
    expect(entry?.size).toBe(4);
    expect(Math.abs(Date.now() - (entry?.modified.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it("refuses a key that isn't a lower-case UUID", async () => {
    const file = await source("x");
    for (const key of ["../../etc/passwd", "a", "", randomUUID().toUpperCase(), `${randomUUID()}/x`]) {
      await expect(Promise.resolve().then(() => files.put(key, file, "text/plain"))).rejects.toThrow(
        "lower-case UUID",
      );
      await expect(Promise.resolve().then(() => files.open(key))).rejects.toThrow("lower-case UUID");
      await expect(Promise.resolve().then(() => files.remove(key))).rejects.toThrow("lower-case UUID");
    }
  });

  it("keeps nothing of a file that can't be read", async () => {
    const key = randomUUID();
    await expect(files.put(key, path.join(folder, "missing"), "text/plain")).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
    expect(await keys()).not.toContain(key);
  });

  it("passes its checks", async () => {
    await stored("x");
    await expect(files.check()).resolves.toBeUndefined();
    await expect(files.checkReading()).resolves.toBeUndefined();
  });
});

describe("storage on disk", () => {
  it("lets nobody but its own user read", async () => {
    const data = path.join(folder, "private");
    const file = path.join(folder, "upload");
    await writeFile(file, "x", { mode: 0o644 });
    const key = randomUUID();
    await createDiskStorage(data).put(key, file, "text/plain");
    const place = path.join(data, "files", key.slice(0, 2), key.slice(2, 4), key);
    const modes = await Promise.all(
      [place, path.dirname(place), path.join(data, "files")].map(
        async (one) => (await stat(one)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  it("answers STORAGE_UNAVAILABLE when its folder can't be made, and says so in its check", async () => {
    const data = path.join(folder, "blocked");
    await mkdir(data);
    await writeFile(path.join(data, "files"), "a file in the folder's place");
    const file = path.join(folder, "kept-source");
    await writeFile(file, "x");
    await expect(createDiskStorage(data).put(randomUUID(), file, "text/plain")).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
    await expect(createDiskStorage(data).check()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(await readdir(data)).toEqual(["files"]);
    expect(await readFile(file, "utf8")).toBe("x");
  });

  it("lists nothing before the first file", async () => {
    expect(await collect(createDiskStorage(path.join(folder, "none")).list())).toEqual([]);
    expect(existsSync(path.join(folder, "none"))).toBe(false);
  });

  it("counts a file's age from when it was stored", async () => {
    const file = path.join(folder, "old-upload");
    await writeFile(file, "x");
    await utimes(file, new Date(0), new Date(0));
    const files = createDiskStorage(path.join(folder, "aged"));
    await files.put(randomUUID(), file, "text/plain");
    const [entry] = await collect(files.list());
    expect(entry?.modified.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });
});

/** Responds as S3 does to requests for multipart uploads, of which it lists one a page. */
async function serveUploads(uploads: { key: string; id: string; initiated: Date }[]) {
  const aborted: string[] = [];
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://bucket");
    if (request.method === "DELETE") {
      aborted.push(`${pathname} ${searchParams.get("uploadId")}`);
      return response.writeHead(204).end();
    }
    const after = uploads.findIndex(({ id }) => id === searchParams.get("upload-id-marker")) + 1;
    const page = uploads.slice(after, after + 1).map(
      ({ key, id, initiated }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>
         <NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`,
    );
    const truncated = `<IsTruncated>${after + 1 < uploads.length}</IsTruncated>`;
    const list = `<ListMultipartUploadsResult>${truncated}${page.join("")}</ListMultipartUploadsResult>`;
    response.writeHead(200, { "content-type": "application/xml" }).end(list);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { aborted, url: `http://key:secret@127.0.0.1:${port}/heed/one`, close: () => server.close() };
}

describe("storage on S3", () => {
  it("aborts multipart uploads of files that were begun before a time, and no others", async () => {
    const [old, young] = [new Date("2026-01-01"), new Date("2026-01-03")];
    const [abandoned, another, running] = [randomUUID(), randomUUID(), randomUUID()];
    const uploads = await serveUploads([
      { key: `one/files/${abandoned}`, id: "1", initiated: old },
      { key: `one/files/${running}`, id: "2", initiated: young },
      { key: "one/files/notes.txt", id: "3", initiated: old },
      { key: `one/files/${another}`, id: "4", initiated: old },
    ]);
    try {
      expect(await createS3Storage(uploads.url).removePartialFiles(new Date("2026-01-02"))).toBe(2);
      expect(uploads.aborted).toEqual([`/heed/one/files/${abandoned} 1`, `/heed/one/files/${another} 4`]);
    } finally {
      uploads.close();
    }
  });

  it("keeps services with different prefixes apart", async () => {
    const other = createS3Storage(`http://S3RVER:S3RVER@${s3Host}/heed/two`);
    const file = path.join(folder, "of-two");
    await writeFile(file, "x");
    const key = randomUUID();
    await other.put(key, file, "text/plain");
    const mine = createS3Storage(`http://S3RVER:S3RVER@${s3Host}/heed/one`);
    await expect(mine.open(key)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await collect(mine.list())).map((entry) => entry.key)).not.toContain(key);
    expect((await collect(other.list())).map((entry) => entry.key)).toEqual([key]);
  });

  it("answers 507 for writes and 503 for reads when nobody is there, or the bucket isn't", async () => {
    const file = path.join(folder, "for-nobody");
    await writeFile(file, "x");
    for (const url of [
      "http://key:secret@127.0.0.1:9/heed",
      `http://S3RVER:S3RVER@${s3Host}/no-such-bucket`,
    ]) {
      const away = createS3Storage(url);
      await expect(away.put(randomUUID(), file, "text/plain")).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
      });
      await expect(away.check()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
      await expect(away.open(randomUUID())).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      await expect(away.checkReading()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    }
  });

  it("says so when its credentials aren't taken", async () => {
    const wrong = createS3Storage(`http://NOBODY:wrong@${s3Host}/heed`);
    const file = path.join(folder, "unsigned");
    await writeFile(file, "x");
    await expect(wrong.put(randomUUID(), file, "text/plain")).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
  });
});
