import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealFile, unsealStream } from "./sealed-file.ts";

const CHUNK = 256 * 1024;
const HEADER = 81;
const NAME = "0b5e5f2e-4c0d-4d2e-9a55-0d2f4f1c7a11";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-seal-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const key = randomBytes(32);
let count = 0;

async function sealed(bytes: Buffer, sealing = { name: NAME, key }): Promise<Buffer> {
  const source = path.join(folder, `${(count += 1)}`);
  await writeFile(source, bytes);
  await sealFile(source, `${source}.sealed`, sealing);
  return readFile(`${source}.sealed`);
}

/** Like a storage stream: its pieces don't align with chunks. */
function* pieces(bytes: Buffer, size = 60_001): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const stream = (bytes: Buffer) => Readable.from(pieces(bytes), { objectMode: false });
const opened = async (bytes: Buffer, name = NAME, keys = [key]) =>
  buffer(await unsealStream(stream(bytes), { name, keys }));

const DAMAGED = { code: "SEAL_DAMAGED" };

describe("a sealed file", () => {
  it.each([0, 1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7])(
    "of %i bytes opens to what it was",
    async (size) => {
      const bytes = randomBytes(size);
      const all = await sealed(bytes);
      expect(all.length).toBe(HEADER + size + 16 * Math.max(1, Math.ceil(size / CHUNK)));
      expect((await opened(all)).equals(bytes)).toBe(true);
    },
  );

  it("reveals nothing of its content, and is different each time", async () => {
    const bytes = Buffer.alloc(100_000, "a quiet river ");
    const [one, two] = [await sealed(bytes), await sealed(bytes)];
    expect(one.includes("river")).toBe(false);
    expect(one.subarray(HEADER).equals(two.subarray(HEADER))).toBe(false);
  });

  const THREE = randomBytes(2 * CHUNK + 100);

  it.each([
    ["the magic", 0],
    ["the version", 8],
    ["the chunk size", 18],
    ["the nonce", 21],
    ["the wrapped key", 40],
    ["the tag of the key", 70],
    ["the first chunk", HEADER + 5],
    ["the tag of the first chunk", HEADER + CHUNK + 3],
    ["the last chunk", HEADER + 2 * (CHUNK + 16) + 50],
    ["the last byte", HEADER + 2 * (CHUNK + 16) + 100 + 15],
  ])("is refused when a bit of %s was changed", async (_, at) => {
    const bytes = await sealed(THREE);
    bytes[at] = (bytes[at] as number) ^ 1;
    await expect(opened(bytes)).rejects.toMatchObject(DAMAGED);
  });

  it.each([
    ["a byte", 1],
    ["the last chunk", 100 + 16],
    ["two chunks", 100 + 16 + CHUNK + 16],
    ["all chunks", 2 * (CHUNK + 16) + 100 + 16],
    ["a part of the header", 2 * (CHUNK + 16) + 100 + 16 + 30],
  ])("is refused when %s is missing at the end", async (_, missing) => {
    const bytes = await sealed(THREE);
    await expect(opened(bytes.subarray(0, bytes.length - missing))).rejects.toMatchObject(DAMAGED);
  });

  it("is refused when something follows it, or chunks change places or come twice", async () => {
    const bytes = await sealed(THREE);
    const header = bytes.subarray(0, HEADER);
    const first = bytes.subarray(HEADER, HEADER + CHUNK + 16);
    const second = bytes.subarray(HEADER + CHUNK + 16, HEADER + 2 * (CHUNK + 16));
    const last = bytes.subarray(HEADER + 2 * (CHUNK + 16));
    const refused = [
      [header, first, second, last, Buffer.from("x")],
      [header, first, second, last, last],
      [header, second, first, last],
      [header, first, first, second, last],
      [header, first, last],
    ];
    for (const parts of refused) await expect(opened(Buffer.concat(parts))).rejects.toMatchObject(DAMAGED);
    expect((await opened(Buffer.concat([header, first, second, last]))).equals(THREE)).toBe(true);
  });

  it("is refused under another name", async () => {
    await expect(opened(await sealed(THREE), "another name")).rejects.toMatchObject(DAMAGED);
  });

  it("is refused with the header of another file", async () => {
    const [one, two] = [await sealed(THREE), await sealed(THREE)];
    const mixed = Buffer.concat([one.subarray(0, HEADER), two.subarray(HEADER)]);
    await expect(opened(mixed)).rejects.toMatchObject(DAMAGED);
  });

  it("is refused with its own error when its key is missing", async () => {
    const refusal = opened(await sealed(THREE), NAME, [randomBytes(32), randomBytes(32)]);
    await expect(refusal).rejects.toMatchObject({ code: "SEAL_KEY_UNKNOWN" });
  });

  it("opens with a key that a newer one has replaced", async () => {
    const [older, newer] = [await sealed(THREE), randomBytes(32)];
    const recent = await sealed(THREE, { name: NAME, key: newer });
    for (const bytes of [older, recent])
      expect((await opened(bytes, NAME, [newer, key])).equals(THREE)).toBe(true);
    await expect(opened(older, NAME, [newer])).rejects.toMatchObject({ code: "SEAL_KEY_UNKNOWN" });
  });

  it("gives no byte of a damaged chunk, and says so before the first byte where it can", async () => {
    const bytes = await sealed(THREE);
    bytes[HEADER + CHUNK + 16 + 9] = (bytes[HEADER + CHUNK + 16 + 9] as number) ^ 1;
    const begun = await unsealStream(stream(bytes), { name: NAME, keys: [key] });
    const got: Buffer[] = [];
    await expect(
      (async () => {
        for await (const piece of begun) got.push(piece);
      })(),
    ).rejects.toMatchObject(DAMAGED);
    expect(Buffer.concat(got).equals(THREE.subarray(0, CHUNK))).toBe(true);
    bytes[HEADER + 9] = (bytes[HEADER + 9] as number) ^ 1;
    await expect(unsealStream(stream(bytes), { name: NAME, keys: [key] })).rejects.toMatchObject(DAMAGED);
  });

  it("closes its source when reading stops, and when it can't be opened", async () => {
    const bytes = await sealed(randomBytes(20 * CHUNK));
    const source = stream(bytes);
    const begun = await unsealStream(source, { name: NAME, keys: [key] });
    begun.destroy();
    await expect.poll(() => source.destroyed).toBe(true);
    const other = stream(bytes);
    await expect(unsealStream(other, { name: "x", keys: [key] })).rejects.toMatchObject(DAMAGED);
    expect(other.destroyed).toBe(true);
  });
});
