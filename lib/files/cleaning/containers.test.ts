import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { isMetadataFreeJpeg2000, stripJpegMetadata, stripPictureMetadata } from "./containers.ts";

const picture = () =>
  sharp({ create: { width: 24, height: 16, channels: 3, background: { r: 30, g: 90, b: 160 } } });
const EXIF = { IFD0: { Make: "Lantern", Artist: "Maya Castillo" } };
const MAKERS = /Lantern|Castillo/;
const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

/** A PNG chunk. Its checksum is a dummy; nothing verifies it. */
const chunk = (type: string, content: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, content.length]), Buffer.from(`${type}${content}sum!`)]);

describe("a JPEG inside of a document", () => {
  it("loses EXIF, comments and whatever follows its end, and not a pixel", async () => {
    const bare = await picture().jpeg().toBuffer();
    const withMetadata = await picture().withExif(EXIF).jpeg().toBuffer();
    const comment = Buffer.from("\xff\xfe\0\x09Lantern", "latin1");
    for (const bytes of [
      withMetadata,
      Buffer.concat([bare.subarray(0, 2), comment, bare.subarray(2)]),
      // Phones append a second picture with all its metadata to the first.
      Buffer.concat([bare, withMetadata]),
      Buffer.concat([bare, Buffer.from("SEFT Lantern")]),
    ]) {
      const stripped = stripPictureMetadata(bytes) as Buffer;
      expect(stripped.toString("latin1")).not.toMatch(MAKERS);
      expect(await pixels(stripped)).toEqual(await pixels(bytes));
      expect(stripPictureMetadata(stripped)).toEqual(stripped);
    }
  });

  it("loses the profile of its colors, which may name a screen, and keeps the bytes in which there is nothing else", async () => {
    for (const kind of ["jpeg", "png"] as const) {
      const bytes = await picture().withIccProfile("p3")[kind]().toBuffer();
      expect((await sharp(bytes).metadata()).icc).toBeDefined();
      expect((await sharp(stripPictureMetadata(bytes) as Buffer).metadata()).icc).toBeUndefined();
    }
    const bare = await picture().jpeg().toBuffer();
    expect([stripJpegMetadata(bare), stripPictureMetadata(bare)]).toEqual([bare, bare]);
  });

  it("that is none, or broken, is an error", async () => {
    const bytes = await picture().withExif(EXIF).jpeg().toBuffer();
    expect(() => stripJpegMetadata(Buffer.from("What I saw."))).toThrow("no JPEG");
    expect(() =>
      stripJpegMetadata(Buffer.concat([bytes.subarray(0, 2), Buffer.from("Lantern"), bytes.subarray(2)])),
    ).toThrow("broken");
  });

  it("that is truncated loses its metadata segments", async () => {
    const bytes = await picture().withExif(EXIF).jpeg().toBuffer();
    const stripped = stripPictureMetadata(bytes.subarray(0, -4)) as Buffer;
    expect(stripped.toString("latin1")).not.toMatch(MAKERS);
    expect(stripPictureMetadata(bytes.subarray(0, 26))).toBeNull();
    expect(
      stripPictureMetadata(Buffer.concat([bytes.subarray(0, 2), Buffer.from("Lantern"), bytes.subarray(2)])),
    ).toBeNull();
  });
});

describe("a PNG inside of a document", () => {
  it("loses texts, times and whatever follows its end, and not a pixel", async () => {
    const bare = await picture().png().toBuffer();
    const head = bare.subarray(0, 33);
    const withMetadata = Buffer.concat([
      head,
      chunk("tEXt", "Author\0Maya Castillo"),
      chunk("tIME", "1234567"),
      bare.subarray(33),
    ]);
    for (const bytes of [
      withMetadata,
      Buffer.concat([bare, Buffer.from("Lantern")]),
      await picture().withExif(EXIF).png().toBuffer(),
    ]) {
      const stripped = stripPictureMetadata(bytes) as Buffer;
      expect(stripped.toString("latin1")).not.toMatch(/Lantern|Castillo|tIME|eXIf/);
      expect(await pixels(stripped)).toEqual(await pixels(bare));
    }
    expect(stripPictureMetadata(bare)).toEqual(bare);
  });

  it("that is broken isn't known", async () => {
    expect(stripPictureMetadata((await picture().png().toBuffer()).subarray(0, -20))).toBeNull();
  });
});

describe("another picture inside of a document", () => {
  it("is known where it holds nothing but itself", async () => {
    for (const format of ["gif", "webp"] as const) {
      const bytes = await picture().toFormat(format).toBuffer();
      expect(stripPictureMetadata(bytes)).toEqual(bytes);
      expect(stripPictureMetadata(Buffer.concat([bytes, Buffer.from("Lantern")]))).toBeNull();
    }
    for (const bytes of [await picture().tiff().toBuffer(), Buffer.from("\x01\0\0\0 EMF"), Buffer.alloc(0)])
      expect(stripPictureMetadata(bytes)).toBeNull();
  });
});

describe("a JPEG 2000 inside of a document", () => {
  const segment = (marker: number, content: Buffer | string) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(marker, 0);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, Buffer.from(content as string)]);
  };
  const size = segment(0xff51, Buffer.alloc(38));
  /** One tile with two bytes of data. */
  const tile = Buffer.from("ff90000a0000000000100001ff931234", "hex");
  const codestream = (...more: Buffer[]) =>
    Buffer.concat([Buffer.from("ff4f", "hex"), size, ...more, tile, Buffer.from("ffd9", "hex")]);
  const box = (type: string, content: Buffer | string) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(content.length + 8);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, Buffer.from(content as string)]);
  };
  const file = (...more: Buffer[]) =>
    Buffer.concat([
      box("jP  ", Buffer.from("0d0a870a", "hex")),
      box("ftyp", "jp2 "),
      ...more,
      box("jp2c", codestream()),
    ]);

  it.each([
    ["a bare codestream", codestream(), true],
    ["a bare file", file(box("jp2h", Buffer.alloc(20))), true],
    ["a comment", codestream(segment(0xff64, "\0\x01Lantern")), false],
    ["XMP", file(box("uuid", "Lantern")), false],
    ["something behind its end", Buffer.concat([file(), Buffer.from("Lantern")]), false],
    ["something behind its codestream", Buffer.concat([codestream(), Buffer.from("Lantern")]), false],
    ["half of it", codestream().subarray(0, 30), false],
    ["something else", Buffer.from("What I saw by the door."), false],
  ])("with %s", (_, bytes, bare) => {
    expect(isMetadataFreeJpeg2000(bytes)).toBe(bare);
  });
});
