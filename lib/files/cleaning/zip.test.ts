import { describe, expect, it } from "vitest";
import { ZipArchive, type ZipPartBytesByName, buildZipWithoutMetadata } from "./zip.ts";

const PARTS: ZipPartBytesByName = new Map([
  ["mimetype", Buffer.from("application/x-lantern")],
  ["b/text.xml", Buffer.from("<a/>".repeat(1000))],
  ["a.jpeg", Buffer.from([1, 2, 3])],
]);

/** Replaces every occurrence of the old bytes in an archive. */
function replaceBytes(archive: Buffer, from: string, to: string): Buffer {
  const bytes = Buffer.from(archive);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at, "latin1");
  return bytes;
}

describe("an archive", () => {
  it("gives back what was put into it, in its order", async () => {
    const archive = await ZipArchive.open(await buildZipWithoutMetadata(PARTS));
    expect(archive.names).toEqual([...PARTS.keys()]);
    for (const [name, bytes] of PARTS) expect(await archive.read(name)).toEqual(bytes);
    expect([archive.has("a.jpeg"), archive.has("A.JPEG")]).toEqual([true, false]);
    await expect(archive.read("c")).rejects.toThrow("lacks a part");
  });

  it("of the same parts is the same, at any time and in any time zone", async () => {
    const one = await buildZipWithoutMetadata(PARTS);
    expect(await buildZipWithoutMetadata(PARTS)).toEqual(one);
    expect((await ZipArchive.open(one)).hasDates).toBe(false);
    // An earlier date than the first one of the DOS format would reveal a time zone.
    expect(one.subarray(10, 14)).toEqual(Buffer.from([0, 0, 0x21, 0]));
  });

  it("reports whether it has modification times", async () => {
    const bytes = await buildZipWithoutMetadata(PARTS);
    const directory = bytes.indexOf(Buffer.from("PK\x01\x02"));
    bytes.writeUInt16LE((46 << 9) | (3 << 5) | 1, directory + 14);
    expect((await ZipArchive.open(bytes)).hasDates).toBe(true);
  });

  it("with a damaged part gives out the others", async () => {
    const bytes = await buildZipWithoutMetadata(PARTS);
    const at = bytes.indexOf(Buffer.from([1, 2, 3]));
    bytes.writeUInt8(9, at);
    const archive = await ZipArchive.open(bytes);
    await expect(archive.read("a.jpeg")).rejects.toThrow("damaged");
    expect(await archive.read("b/text.xml")).toEqual(PARTS.get("b/text.xml"));
  });

  it("unpacks to a limit and no further", async () => {
    const large: ZipPartBytesByName = new Map(
      ["a", "b", "c"].map((name) => [name, Buffer.alloc(20 * 1024 * 1024)]),
    );
    const bytes = await buildZipWithoutMetadata(large);
    expect(bytes.length).toBeLessThan(100_000);
    const archive = await ZipArchive.open(bytes);
    await archive.read("a");
    await archive.read("b");
    await expect(archive.read("c")).rejects.toThrow("too much");
  });

  it("that unpacks to more than its header says is refused", async () => {
    const bytes = await buildZipWithoutMetadata(new Map([["a", Buffer.alloc(5_000_000)]]));
    const directory = bytes.indexOf(Buffer.from("PK\x01\x02"));
    bytes.writeUInt32LE(100, directory + 24);
    await expect((await ZipArchive.open(bytes)).read("a")).rejects.toThrow(Error);
  });

  it.each([
    ["half of one", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["one with something behind its end", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("Lantern")])],
    ["one that leads out of itself", (bytes: Buffer) => replaceBytes(bytes, "b/text.xml", "../ext.xml")],
    ["one with a part twice", (bytes: Buffer) => replaceBytes(bytes, "a.jpeg", "A.JPEG".slice(0, 6))],
  ])("is not %s", async (what, change) => {
    const parts = what.includes("twice") ? new Map([...PARTS, ["A.JPEG", Buffer.from("x")]]) : PARTS;
    await expect(ZipArchive.open(change(await buildZipWithoutMetadata(parts)))).rejects.toThrow(Error);
  });

  it("of very many parts isn't opened", async () => {
    const many = new Map(Array.from({ length: 5_001 }, (_, index) => [`part${index}`, Buffer.alloc(0)]));
    await expect(ZipArchive.open(await buildZipWithoutMetadata(many))).rejects.toThrow("too many parts");
  });
});
