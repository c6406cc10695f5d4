import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reencodeLogoOrAvatarAsWebp } from "./images.ts";

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-images-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function reencode(bytes: Buffer | string) {
  const file = path.join(folder, `upload-${(count += 1)}`);
  await writeFile(file, bytes);
  return reencodeLogoOrAvatarAsWebp(file);
}

const picture = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 40, b: 40, alpha: 0.5 } } });

/** A single-color PNG whose header states the given size, whatever its pixels are. */
function flatPng(width: number, height: number): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type), body]);
    const out = Buffer.alloc(typed.length + 8);
    out.writeUInt32BE(body.length, 0);
    typed.copy(out, 4);
    out.writeUInt32BE(crc32(typed), typed.length + 4);
    return out;
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc(Math.min(height, 5000) * (Math.ceil(width / 8) + 1));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("reencodeLogoOrAvatarAsWebp", () => {
  it("turns PNG, JPEG and WebP into WebP of at most 1024 pixels a side", async () => {
    for (const format of ["png", "jpeg", "webp"] as const) {
      const made = await reencode(await picture(3000, 1500).toFormat(format).toBuffer());
      expect({ type: made.type, width: made.width, height: made.height }).toEqual({
        type: "image/webp",
        width: 1024,
        height: 512,
      });
      const bytes = await readFile(made.path);
      expect(made.size).toBe(bytes.length);
      expect((await sharp(bytes).metadata()).format).toBe("webp");
    }
  });

  it("takes 4096 pixels a side and leaves a small image its size", async () => {
    expect(await reencode(await picture(4096, 4096).png().toBuffer())).toMatchObject({
      width: 1024,
      height: 1024,
    });
    expect(await reencode(await picture(40, 30).png().toBuffer())).toMatchObject({ width: 40, height: 30 });
  });

  it("keeps transparency", async () => {
    const made = await reencode(await picture(20, 20, 4).png().toBuffer());
    expect((await sharp(made.path).metadata()).hasAlpha).toBe(true);
  });

  it("has an ETag that follows the content", async () => {
    const [one, again, other] = await Promise.all(
      [5, 5, 6].map(async (side) => reencode(await picture(side, side).png().toBuffer())),
    );
    expect(one?.etag).toMatch(/^"[\w-]{27}"$/);
    expect(again?.etag).toBe(one?.etag);
    expect(other?.etag).not.toBe(one?.etag);
  });

  it("applies the orientation and drops all metadata", async () => {
    const jpeg = await picture(60, 20)
      .jpeg()
      .withExif({
        IFD0: { Copyright: "EXIF-MARKER", Orientation: "6" },
        IFD3: { GPSLatitude: "52/1 31/1 12/1" },
      })
      .withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'>XMP-MARKER</x:xmpmeta>")
      .toBuffer();
    const turned = await sharp(jpeg).withMetadata({ orientation: 6 }).toBuffer();
    expect(turned.includes("EXIF-MARKER")).toBe(true);
    const made = await reencode(turned);
    expect({ width: made.width, height: made.height }).toEqual({ width: 20, height: 60 });
    const metadata = await sharp(made.path).metadata();
    expect([metadata.exif, metadata.xmp, metadata.iptc, metadata.orientation]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("serves no byte of a payload hidden behind or inside the image", async () => {
    const png = await picture(30, 30).png().toBuffer();
    const made = await reencode(Buffer.concat([png, Buffer.from("<html><script>alert(1)</script>")]));
    expect((await readFile(made.path)).includes("script")).toBe(false);
  });

  it("refuses a truncated picture, even if only its last byte is missing", async () => {
    for (const format of ["png", "jpeg", "webp"] as const) {
      const whole = await picture(60, 40).toFormat(format).toBuffer();
      for (const length of [whole.length - 1, whole.length - 12, Math.floor(whole.length / 2)])
        await expect(reencode(whole.subarray(0, length)), `${format}, ${length}`).rejects.toMatchObject({
          code: "UNSUPPORTED_FILE_TYPE",
        });
    }
  });

  it("keeps the first frame of an animation", async () => {
    const frames = await sharp(
      [
        await picture(20, 20).png().toBuffer(),
        await sharp({ create: { width: 20, height: 20, channels: 3, background: "#00f" } })
          .png()
          .toBuffer(),
      ],
      { join: { animated: true } },
    )
      .webp({ lossless: true })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).toBe(2);
    const made = await reencode(frames);
    const { pages } = await sharp(made.path).metadata();
    expect([made.width, made.height, pages]).toEqual([20, 20, undefined]);
  });

  it("decodes only the first of ten thousand frames", async () => {
    const [side, count] = [8, 10_000];
    const pixels = Buffer.alloc(side * side * 3 * count);
    // Identical frames would be merged into one.
    for (let at = 0; at < count; at += 2) pixels.fill(200, at * side * side * 3, (at + 1) * side * side * 3);
    const raw = { width: side, height: side * count, channels: 3, pageHeight: side } as const;
    const frames = await sharp(pixels, { raw }).webp({ lossless: true, effort: 0 }).toBuffer();
    expect((await sharp(frames, { animated: true }).metadata()).pages).toBe(count);
    const before = process.memoryUsage().rss;
    const made = await reencode(frames);
    expect([made.width, made.height, (await sharp(made.path).metadata()).pages]).toEqual([
      side,
      side,
      undefined,
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("refuses too many pixels by the header, without decoding them", async () => {
    const before = process.memoryUsage().rss;
    for (const [width, height] of [
      [30_000, 30_000],
      [4097, 10],
      [10, 4097],
    ] as const) {
      await expect(reencode(flatPng(width, height))).rejects.toMatchObject({ code: "IMAGE_TOO_LARGE" });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("refuses more than 2 MiB", async () => {
    const noise = await sharp({
      create: {
        width: 1000,
        height: 1000,
        channels: 3,
        background: "#000",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    expect(noise.length).toBeGreaterThan(2 * 1024 * 1024);
    await expect(reencode(noise)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  const refused: [string, () => Buffer | string | Promise<Buffer>][] = [
    [
      "SVG",
      () => '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
    ],
    ["GIF", () => picture(9, 9).gif().toBuffer()],
    ["AVIF", () => picture(9, 9).avif({ effort: 0 }).toBuffer()],
    ["HTML", () => "<html><script>alert(1)</script>"],
    ["a PNG signature with nothing behind it", () => Buffer.from("\x89PNG\r\n\x1a\n", "latin1")],
    ["half a JPEG", async () => (await picture(600, 600).jpeg().toBuffer()).subarray(0, 900)],
    ["a header that promises more rows than there are", () => flatPng(4000, 4000).subarray(0, 60)],
    ["no pixels", () => flatPng(0, 10)],
  ];
  it.each(refused)("refuses %s", async (_, make) => {
    await expect(reencode(await make())).rejects.toMatchObject({ code: "UNSUPPORTED_FILE_TYPE" });
  });
});
