import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { strippedPicture, withoutTellingSegments } from "./containers.ts";

const picture = () =>
  sharp({ create: { width: 24, height: 16, channels: 3, background: { r: 30, g: 90, b: 160 } } });
const EXIF = { IFD0: { Make: "Lantern", Artist: "Maya Castillo" } };
const MAKERS = /Lantern|Castillo/;
const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

/** A chunk of PNG; nobody looks at its sum. */
const chunk = (type: string, content: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, content.length]), Buffer.from(`${type}${content}sum!`)]);

describe("a JPEG inside of a document", () => {
  it("loses EXIF, comments and whatever follows its end, and not a pixel", async () => {
    const bare = await picture().jpeg().toBuffer();
    const told = await picture().withExif(EXIF).jpeg().toBuffer();
    const comment = Buffer.from("\xff\xfe\0\x09Lantern", "latin1");
    for (const bytes of [
      told,
      Buffer.concat([bare.subarray(0, 2), comment, bare.subarray(2)]),
      // Phones put a second picture behind the first, with all that it tells.
      Buffer.concat([bare, told]),
      Buffer.concat([bare, Buffer.from("SEFT Lantern")]),
    ]) {
      const stripped = strippedPicture(bytes) as Buffer;
      expect(stripped.toString("latin1")).not.toMatch(MAKERS);
      expect(await pixels(stripped)).toEqual(await pixels(bytes));
      expect(strippedPicture(stripped)).toEqual(stripped);
    }
  });

  it("keeps the profile of its colours, and the bytes in which there is nothing else", async () => {
    for (const bytes of [
      await picture().jpeg().toBuffer(),
      await picture().withIccProfile("p3").jpeg().toBuffer(),
    ]) {
      const stripped = strippedPicture(bytes) as Buffer;
      expect((await sharp(stripped).metadata()).icc).toEqual((await sharp(bytes).metadata()).icc);
    }
    const bare = await picture().jpeg().toBuffer();
    expect([withoutTellingSegments(bare), strippedPicture(bare)]).toEqual([null, bare]);
  });

  it("that breaks off loses what stands before", async () => {
    const bytes = await picture().withExif(EXIF).jpeg().toBuffer();
    const stripped = strippedPicture(bytes.subarray(0, -4)) as Buffer;
    expect(stripped.toString("latin1")).not.toMatch(MAKERS);
    expect(strippedPicture(bytes.subarray(0, 26))).toBeNull();
    expect(
      strippedPicture(Buffer.concat([bytes.subarray(0, 2), Buffer.from("Lantern"), bytes.subarray(2)])),
    ).toBeNull();
  });
});

describe("a PNG inside of a document", () => {
  it("loses texts, times and whatever follows its end, and not a pixel", async () => {
    const bare = await picture().png().toBuffer();
    const head = bare.subarray(0, 33);
    const told = Buffer.concat([
      head,
      chunk("tEXt", "Author\0Maya Castillo"),
      chunk("tIME", "1234567"),
      bare.subarray(33),
    ]);
    for (const bytes of [
      told,
      Buffer.concat([bare, Buffer.from("Lantern")]),
      await picture().withExif(EXIF).png().toBuffer(),
    ]) {
      const stripped = strippedPicture(bytes) as Buffer;
      expect(stripped.toString("latin1")).not.toMatch(/Lantern|Castillo|tIME|eXIf/);
      expect(await pixels(stripped)).toEqual(await pixels(bare));
    }
    expect(strippedPicture(bare)).toEqual(bare);
  });

  it("that is broken isn't known", async () => {
    expect(strippedPicture((await picture().png().toBuffer()).subarray(0, -20))).toBeNull();
  });
});

describe("another picture inside of a document", () => {
  it("is known where it holds nothing but itself", async () => {
    for (const format of ["gif", "webp"] as const) {
      const bytes = await picture().toFormat(format).toBuffer();
      expect(strippedPicture(bytes)).toEqual(bytes);
      expect(strippedPicture(Buffer.concat([bytes, Buffer.from("Lantern")]))).toBeNull();
    }
    for (const bytes of [await picture().tiff().toBuffer(), Buffer.from("\x01\0\0\0 EMF"), Buffer.alloc(0)])
      expect(strippedPicture(bytes)).toBeNull();
  });
});
