import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  type PDFRawStream,
  PDFStream,
  PDFString,
  StandardFonts,
} from "@cantoo/pdf-lib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createDoc,
  createDocx,
  createOdf,
  createPptx,
  createRtf,
  createXlsx,
} from "#e2e/support/documents.ts";
import { measureCpuMs } from "#e2e/support/cpu-time.ts";
import { packZeros } from "#e2e/support/packed-zeros.ts";
import {
  createBitmap,
  createHeic,
  createHeicWithTwoPictures,
  createIphoneFilm,
  createMotionHeic,
  createWav,
} from "#e2e/support/recordings.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { inspectAndCleanUpload, type UploadCleaningResult } from "./clean.ts";
import { createWaitBudget } from "./inspection-queue.ts";
import { findAcceptedFileType } from "#lib/files/upload/types.ts";
import { ZipArchive } from "./zip.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-clean-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
type CleanedBytes = UploadCleaningResult & { bytes: Buffer | null };

async function cleanBytes(
  bytes: Uint8Array,
  mimetype: string,
  { anonymous = false } = {},
): Promise<CleanedBytes> {
  const file = path.join(folder, String((count += 1)));
  await writeFile(file, bytes);
  const cleaning = await inspectAndCleanUpload(file, mimetype, {
    lane: createLaneForUser("maya"),
    weight: bytes.length,
    waitBudget: createWaitBudget(),
    anonymous,
  });
  expect((await readFile(file)).equals(bytes)).toBe(true);
  return { ...cleaning, bytes: cleaning.copy && (await readFile(cleaning.copy.path)) };
}

/** The result for a file that couldn't be read to its end: it counts as revealing everything. */
const NOT_INSPECTED = {
  state: "not_inspected",
  reveals: ["place", "device", "time", "author"],
  copy: null,
};

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:photoshop="p" xmlns:xmp="x" photoshop:City="Lanterntown" xmp:CreatorTool="">
  <dc:creator xmlns:dc="d"><rdf:Seq><rdf:li>Lantern Person</rdf:li></rdf:Seq></dc:creator>
  </rdf:Description></rdf:RDF></x:xmpmeta>`;
const EXIF = {
  IFD0: { Make: "Lantern", Artist: "   " },
  IFD2: { DateTimeOriginal: "2026:03:01 10:15:00" },
  IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 12/1" },
};
const picture = (width = 24, height = 16) =>
  sharp({ create: { width, height, channels: 3, background: { r: 30, g: 90, b: 160 } } });

/** Writes XMP the way Adobe does and sharp doesn't: as one long block followed by a descending run of length bytes. */
function gifWithXmp(gif: Buffer): Buffer {
  const ramp = Buffer.from(Array.from({ length: 257 }, (_, index) => 256 - index));
  const head = Buffer.from([0x21, 0xff, 11]);
  const extension = Buffer.concat([
    head,
    Buffer.from("XMP DataXMP"),
    Buffer.from(`${XMP}\x01`),
    ramp,
    Buffer.from([0]),
  ]);
  return Buffer.concat([gif.subarray(0, gif.length - 1), extension, gif.subarray(gif.length - 1)]);
}

/** Two frames stacked vertically, as sharp expects them. */
const frames = () =>
  sharp(Buffer.concat([Buffer.alloc(16 * 16 * 3, 10), Buffer.alloc(16 * 16 * 3, 200)]), {
    raw: { width: 16, height: 32, channels: 3, pageHeight: 16 },
  });

describe("an image", () => {
  it.each(["jpeg", "png", "webp", "gif"] as const)(
    "of %s with nothing but its picture stays as it is",
    async (format) => {
      const found = await cleanBytes(await picture().toFormat(format).toBuffer(), `image/${format}`);
      expect(found).toMatchObject({ state: "clean", reveals: [], copy: null });
    },
  );

  it.each(["jpeg", "png", "webp", "avif"] as const)(
    "of %s loses what its camera wrote, and is upright",
    async (format) => {
      const bytes = await picture()
        .withExif(EXIF)
        .withMetadata({ orientation: 6 })
        .toFormat(format)
        .toBuffer();
      const found = await cleanBytes(bytes, `image/${format}`);
      expect(found).toMatchObject({ state: "cleaned", reveals: ["place", "device", "time"] });
      const { exif, icc, orientation, width, height } = await sharp(found.bytes as Buffer).metadata();
      expect([exif, icc, orientation, width, height]).toEqual([undefined, undefined, undefined, 16, 24]);
      expect(found.bytes?.includes("Lantern")).toBe(false);
    },
  );

  it.each(["jpeg", "png", "webp", "gif", "tiff", "avif"] as const)("of %s loses its XMP", async (format) => {
    const made = await picture().withXmp(XMP).toFormat(format).toBuffer();
    const bytes = format === "gif" ? gifWithXmp(made) : made;
    const found = await cleanBytes(bytes, `image/${format}`);
    expect(found).toMatchObject({ state: "cleaned", reveals: ["place", "author"] });
    expect(found.bytes?.includes("Lantern")).toBe(false);
  });

  it("of JPEG or GIF loses its comment, which may name somebody", async () => {
    const jpeg = await picture().jpeg().toBuffer();
    const gif = await picture().gif().toBuffer();
    const text = Buffer.from("Lantern");
    const insert = (bytes: Buffer, at: number, ...parts: Buffer[]) =>
      Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)]);
    for (const [mimetype, bytes] of [
      ["image/jpeg", insert(jpeg, 2, Buffer.from([0xff, 0xfe, 0, 9]), text)],
      ["image/gif", insert(gif, gif.length - 1, Buffer.from([0x21, 0xfe, 7]), text, Buffer.from([0]))],
    ] as const) {
      const found = await cleanBytes(bytes, mimetype);
      expect(found).toMatchObject({ state: "cleaned", reveals: ["author"] });
      expect(found.bytes?.includes("Lantern")).toBe(false);
    }
  });

  it("loses a color profile, previews and what follows its end", async () => {
    const jpeg = await picture().jpeg().toBuffer();
    for (const bytes of [
      await picture().withIccProfile("p3").jpeg().toBuffer(),
      Buffer.concat([jpeg, Buffer.from("Lantern")]),
      Buffer.concat([jpeg, jpeg]),
    ]) {
      const found = await cleanBytes(bytes, "image/jpeg");
      expect(found).toMatchObject({ state: "cleaned", reveals: [] });
      expect(found.bytes?.includes("Lantern")).toBe(false);
      expect((await sharp(found.bytes as Buffer).metadata()).icc).toBeUndefined();
    }
  });

  it("keeps all the frames of an animation", async () => {
    for (const format of ["gif", "webp"] as const) {
      const made = await frames()
        .withXmp(XMP)
        .toFormat(format, { delay: [300, 300] })
        .toBuffer();
      const bytes = format === "gif" ? gifWithXmp(made) : made;
      const found = await cleanBytes(bytes, `image/${format}`);
      expect(found.state).toBe("cleaned");
      const { pages, delay, xmp } = await sharp(found.bytes as Buffer, { animated: true }).metadata();
      expect([pages, delay, xmp]).toEqual([2, [300, 300], undefined]);
    }
    const plain = await frames()
      .gif({ delay: [300, 300], loop: 0 })
      .toBuffer();
    expect(await cleanBytes(plain, "image/gif")).toMatchObject({ state: "clean", copy: null });
  });

  it("that would lose pages or frames stays as it is", async () => {
    const png = await picture().withXmp(XMP).png().toBuffer();
    const control = Buffer.from("000000086163544c00000002000000000000000000", "hex");
    const animated = Buffer.concat([png.subarray(0, 33), control.subarray(0, 20), png.subarray(33)]);
    expect(await cleanBytes(animated, "image/png")).toMatchObject({ state: "not_cleanable", copy: null });
  });

  it("of too many pixels is not decoded", async () => {
    const bytes = await picture(12_000, 6_000).withExif(EXIF).png().toBuffer();
    const before = process.memoryUsage.rss();
    const found = await cleanBytes(bytes, "image/png");
    expect(found).toMatchObject({ state: "not_cleanable", reveals: ["place", "device", "time"], copy: null });
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("of HEIC becomes a JPEG, without what its phone wrote", async () => {
    const found = await cleanBytes(createHeic(), "image/heic");
    expect(found).toMatchObject({
      state: "cleaned",
      reveals: ["place", "device", "time", "author"],
      copy: { mimetype: "image/jpeg" },
    });
    const { format, exif, xmp, width, height } = await sharp(found.bytes as Buffer).metadata();
    expect([format, exif, xmp, width, height]).toEqual(["jpeg", undefined, undefined, 24, 16]);
    const { channels } = await sharp(found.bytes as Buffer).stats();
    for (const [at, value] of [30, 90, 160].entries())
      expect(Math.abs((channels[at]?.mean ?? 0) - value)).toBeLessThan(6);
    expect(found.bytes?.toString("latin1")).not.toMatch(/Lantern|Castillo/);
    expect(await cleanBytes(found.bytes as Buffer, "image/jpeg")).toMatchObject({
      state: "clean",
      copy: null,
    });
  });

  it.each([
    ["a film", createMotionHeic(), ["video"]],
    ["a second picture", createHeicWithTwoPictures(), ["pictures"]],
    ["nothing else", createHeic(), []],
  ])("of HEIC with %s becomes its main picture, and says what the copy lacks", async (_, bytes, lost) => {
    const found = await cleanBytes(bytes, "image/heic");
    expect(found).toMatchObject({ state: "cleaned", lost });
    const { format, width, height, pages } = await sharp(found.bytes as Buffer).metadata();
    expect([format, width, height, pages]).toEqual(["jpeg", 24, 16, undefined]);
  });

  it.each(["miaf", "mif2", "heim", "heis", "msf1"])("of HEIC with the brand %s is cleaned", async (brand) => {
    const bytes = createHeic();
    bytes.write(brand, 8);
    expect((await cleanBytes(bytes, "image/heic")).state).toBe("cleaned");
  });

  it("of AVIF that is animated was read, and stays as it is", async () => {
    const bytes = await picture().withExif(EXIF).avif({ effort: 0 }).toBuffer();
    bytes.write("avis", 8);
    const found = await cleanBytes(bytes, "image/avif");
    expect(found).toMatchObject({ state: "not_cleanable", reveals: ["place", "device", "time"], copy: null });
  });

  it("of BMP is clean, or loses what isn't its picture", async () => {
    expect(await cleanBytes(createBitmap(), "image/bmp")).toMatchObject({ state: "clean", copy: null });
    const found = await cleanBytes(createBitmap({ behind: "Lantern" }), "image/bmp");
    expect(found).toMatchObject({ state: "cleaned", copy: { mimetype: "image/bmp" } });
    expect(found.bytes).toEqual(createBitmap());
  });

  it.each([
    ["breaks off", (bytes: Buffer) => bytes.subarray(0, -20)],
    [
      "lost its picture",
      (bytes: Buffer) => bytes.fill(0, bytes.indexOf("mdat") + 4, bytes.indexOf("mdat") + 40),
    ],
  ])("of HEIC that %s was not inspected", async (_, broken) => {
    expect(await cleanBytes(broken(createHeic()), "image/heic")).toMatchObject(NOT_INSPECTED);
  });

  it("that is broken was not inspected", async () => {
    const bytes = await picture(300, 300).withExif(EXIF).jpeg().toBuffer();
    expect(await cleanBytes(bytes.subarray(0, bytes.length / 2), "image/jpeg")).toMatchObject(NOT_INSPECTED);
  });

  it("with unreadable metadata counts as revealing everything, and loses it", async () => {
    const bytes = await picture().withExif(EXIF).jpeg().toBuffer();
    // Makes the byte order in the EXIF header invalid.
    bytes.write("XX", bytes.indexOf("Exif\0\0") + 6, "latin1");
    const found = await cleanBytes(bytes, "image/jpeg");
    expect(found).toMatchObject({ ...NOT_INSPECTED, state: "cleaned", copy: { mimetype: "image/jpeg" } });
    expect(found.bytes?.includes("Lantern")).toBe(false);
  });
});

describe("a text", () => {
  const ALL = ["place", "device", "time", "author"];

  it.each([
    ["a mail", "Delivered-To: maya@example.org\r\nSubject: x\r\n\r\nHello", ALL],
    ["a saved web page", "From: <Saved>\nMIME-Version: 1.0\nContent-Type: multipart/related\n", ALL],
    ["a calendar behind a long text", `${"It was loud.\n".repeat(20_000)}begin:vcalendar\n`, ALL],
    ["a mail across a boundary of reading", `${"-".repeat(65_536 - 4)}\nReceived: from maya\n`, ALL],
    ["a mail behind a long line", `${"-".repeat(200_000)}\nReceived: from maya\n`, ALL],
    ["the source of RTF", "\n{\\rtf1 {\\author Maya Castillo}}", ALL],
    ["a card with a photo", "BEGIN:VCARD\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\n", ALL],
    ["a card of a program", "BEGIN:VCARD\nPRODID:-//Lantern//1\nREV:20260301T101500Z\n", ["device", "time"]],
    ["a picture inside of a text", '{"photo": "data:image/jpeg;base64,/9j/4AAQ"}', ALL],
    ["a picture on a boundary of reading", `${"-".repeat(65_530)}data:image/png;base64,iVBO`, ALL],
    ["a GPS track", '<?xml version="1.0"?><gpx version="1.1">', ["place", "time"]],
    ["a GPS track of a device", '<gpx version="1.1" creator="Lantern">', ["place", "device", "time"]],
    [
      "the subtitles of a drone",
      "1\n00:00:00,000 --> 00:00:01,000\n[latitude: 52.5200] [longitude: 13.4050]\n",
      ["place", "time"],
    ],
  ])("that is %s can't be cleaned, in UTF-8 and UTF-16", async (_, text, reveals) => {
    const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
    for (const bytes of [Buffer.from(text), utf16, Buffer.from(utf16).swap16(), utf16.subarray(2)])
      for (const anonymous of [false, true]) {
        const found = await cleanBytes(bytes, "text/plain", { anonymous });
        expect(found).toMatchObject({ state: "not_cleanable", reveals, copy: null });
      }
  });

  it.each([
    ["a card", "BEGIN:VCARD\nFN:Maya Castillo\n"],
    ["a card within a text", "What I saw.\r\nBEGIN:VCARD\r\nFN:Maya Castillo\r\n"],
  ])("that is %s names somebody: an anonymous report can't have it", async (_, text) => {
    expect(await cleanBytes(Buffer.from(text), "text/plain")).toMatchObject({ state: "clean", reveals: [] });
    const found = await cleanBytes(Buffer.from(text), "text/plain", { anonymous: true });
    expect(found).toMatchObject({ state: "not_cleanable", copy: null });
  });

  it("that somebody wrote is clean", async () => {
    const text = "When: at ten\nWhere: the hall\nWho: nobody I know\nlatitude: 52.5\n\nIt was loud.";
    // The start of no line, though a part that is read begins with it.
    const long = `${"-".repeat(65_536)}received: ${text}`;
    for (const one of [text, long])
      expect((await cleanBytes(Buffer.from(one), "text/plain", { anonymous: true })).state).toBe("clean");
  });
});

describe("a PDF", () => {
  async function document(): Promise<PDFDocument> {
    const made = await PDFDocument.create({ updateMetadata: false });
    const page = made.addPage([300, 300]);
    page.drawText("The minutes.", { font: await made.embedFont(StandardFonts.Helvetica) });
    return made;
  }
  const saved = async (made: PDFDocument, useObjectStreams = false) =>
    Buffer.from(await made.save({ useObjectStreams, updateFieldAppearances: false }));
  const withoutInfo = async (made: PDFDocument) => {
    made.context.trailerInfo.Info = undefined;
    return saved(made);
  };
  const reopened = (bytes: Buffer | null) => PDFDocument.load(bytes as Buffer, { updateMetadata: false });
  const all = async (bytes: Buffer | null) =>
    (await reopened(bytes)).context.enumerateIndirectObjects().map(String).join();

  it("with nothing but its pages stays as it is", async () => {
    const found = await cleanBytes(await withoutInfo(await document()), "application/pdf");
    expect(found).toMatchObject({ state: "clean", reveals: [], copy: null });
  });

  describe("of an anonymous report", () => {
    const NAME = /Lantern/;
    const lines = async (made: PDFDocument, change: (text: string) => string) =>
      Buffer.from(change((await withoutInfo(made)).toString("latin1")), "latin1");
    const anonymous = (bytes: Buffer) => cleanBytes(bytes, "application/pdf", { anonymous: true });

    it.each([
      ["a comment behind its head", (text: string) => text.replace("\n", "\n% by Lantern\n")],
      ["a comment between objects", (text: string) => text.replaceAll("endobj\n", "endobj\n% Lantern\n")],
      ["a key of its end", (text: string) => text.replace("/Root", "/Author (Lantern) /Root")],
      ["a key of its catalog", (text: string) => text.replace("/Catalog", "/Catalog /Author (Lantern)")],
      [
        "a place that its links begin at",
        (text: string) =>
          text.replace("/Catalog", "/Catalog /URI << /Base (file:///home/lantern/Lantern) >>"),
      ],
    ])("loses %s", async (_, change) => {
      const bytes = await lines(await document(), change);
      expect(bytes.toString("latin1")).toMatch(NAME);
      const found = await anonymous(bytes);
      expect(found.state).toBe("cleaned");
      expect(found.bytes?.toString("latin1")).not.toMatch(NAME);
      expect((await reopened(found.bytes)).getPageCount()).toBe(1);
    });

    it("loses profiles of colors, and what programs call its notes", async () => {
      const made = await document();
      const profile = made.context.register(made.context.stream("Lantern's screen", { N: 3 }));
      const [page] = made.getPages();
      page?.node.set(
        PDFName.of("Resources"),
        made.context.obj({ ColorSpace: { CS0: [PDFName.of("ICCBased"), profile] } }),
      );
      const note = { Type: "Annot", Subtype: "Text", Rect: [0, 0, 9, 9], NM: PDFString.of("Lantern-1") };
      page?.node.set(PDFName.of("Annots"), made.context.obj([made.context.register(made.context.obj(note))]));
      const found = await anonymous(await withoutInfo(made));
      expect(found.state).toBe("cleaned");
      expect(await all(found.bytes)).toContain("[ /DeviceRGB ]");
      expect(found.bytes?.toString("latin1")).not.toMatch(NAME);
    });

    it("may have comments in the character map of a font, where programs write them", async () => {
      const made = await document();
      const map = made.context.register(made.context.flateStream("%!PS-Adobe-3.0 Resource-CMap\nend"));
      const [, font] = made.context
        .enumerateIndirectObjects()
        .find(([, object]) => String(object).includes("/Helvetica")) as [unknown, PDFDict];
      font.set(PDFName.of("ToUnicode"), map);
      expect((await anonymous(await withoutInfo(made))).state).toBe("cleaned");
    });

    it("may contain a percent sign in its text", async () => {
      const made = await document();
      const source = made.context.flateStream("BT (100 % (of it) \\) sure) Tj ET");
      made.getPages()[0]?.node.set(PDFName.of("Contents"), made.context.register(source));
      expect((await anonymous(await withoutInfo(made))).state).toBe("cleaned");
    });

    it("whose content is in another file was not inspected", async () => {
      const made = await document();
      const stream = made.context.stream("", { F: PDFString.of("/home/lantern/x.txt") });
      made.getPages()[0]?.node.set(PDFName.of("Contents"), made.context.register(stream));
      expect(await anonymous(await withoutInfo(made))).toMatchObject(NOT_INSPECTED);
    });
  });

  it.each([false, true])(
    "loses its dictionary and its XMP (object streams: %s)",
    async (useObjectStreams) => {
      const made = await document();
      made.setAuthor("Lantern Person");
      made.setCreationDate(new Date());
      const xmp = made.context.stream(XMP, { Type: "Metadata", Subtype: "XML" });
      made.catalog.set(PDFName.of("Metadata"), made.context.register(xmp));
      const found = await cleanBytes(await saved(made, useObjectStreams), "application/pdf");
      expect(found).toMatchObject({ state: "cleaned", reveals: ["place", "time", "author"] });
      const copy = await reopened(found.bytes);
      expect([copy.getAuthor(), copy.getCreationDate(), copy.getPageCount()]).toEqual([
        undefined,
        undefined,
        1,
      ]);
      expect(found.bytes?.toString("latin1")).not.toMatch(/Lantern/);
      expect(await all(found.bytes)).not.toMatch(/Lantern|Metadata/);
      expect(await all(found.bytes)).toContain("Helvetica");
    },
  );

  it.each([false, true])(
    "has a trailer that fits the objects that are left (object streams: %s)",
    async (useObjectStreams) => {
      const made = await document();
      made.setAuthor("Lantern Person");
      for (let count = 1; count <= 9; count += 1) made.context.register(made.context.obj({ Left: count }));
      const found = await cleanBytes(await saved(made, useObjectStreams), "application/pdf");
      expect(found.state).toBe("cleaned");
      const { context } = await reopened(found.bytes);
      const numbers = context.enumerateIndirectObjects().map(([{ objectNumber }]) => objectNumber);
      const [, size] = /\/Size (\d+)/.exec(found.bytes?.toString("latin1") ?? "") ?? [];
      expect(Number(size)).toBe(Math.max(...numbers) + 1);
    },
  );

  it("loses authors and times of comments, and keeps their text", async () => {
    const made = await document();
    const note = made.context.obj({ Type: "Annot", Subtype: "Text", Rect: [0, 0, 10, 10] });
    for (const [key, value] of [
      ["T", "Lantern Person"],
      ["M", "D:20260301101500Z"],
      ["Contents", "This is not how it was."],
    ] as const)
      (note as PDFDict).set(PDFName.of(key), PDFString.of(value));
    made.getPage(0).node.set(PDFName.of("Annots"), made.context.obj([made.context.register(note)]));
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "cleaned", reveals: ["time", "author"] });
    const objects = await all(found.bytes);
    expect(objects).toContain("This is not how it was.");
    expect(objects).not.toMatch(/Lantern|20260301/);
  });

  const annotate = (made: PDFDocument, note: PDFDict) =>
    made.getPage(0).node.set(PDFName.of("Annots"), made.context.obj([made.context.register(note)]));
  const text = (value: string) => PDFString.of(value);

  it.each(["Highlight", "Ink", "Link", "Widget", "Watermark", "Lantern"])(
    "loses what a program stored for itself in an annotation of kind %s, and keeps what it shows",
    async (Subtype) => {
      const made = await document();
      annotate(
        made,
        made.context.obj({
          Type: "Annot",
          Subtype,
          Rect: [0, 0, 10, 10],
          Contents: text("Seen"),
          "AAPL:AKExtras": { "AAPL:AKAnnotationObject": text("Lantern Person") },
          M: text("D:20260301101500Z"),
          NM: text("Lantern-1"),
          FXOwner: text("Lantern Person"),
        }),
      );
      const found = await cleanBytes(await withoutInfo(made), "application/pdf");
      expect(found).toMatchObject({ state: "cleaned", reveals: ["time", "author"] });
      const objects = await all(found.bytes);
      expect(objects).toContain("Seen");
      expect(objects).not.toMatch(/Lantern Person|Lantern-1|20260301|AAPL/);
    },
  );

  it("loses what a program stored for itself in a page, a picture or anywhere else", async () => {
    const made = await document();
    const own = () => made.context.obj({ "AAPL:Owner": text("Lantern Person") });
    made.getPage(0).node.set(PDFName.of("FXOwner"), text("Lantern Person"));
    made.getPage(0).node.set(PDFName.of("MediaBox"), made.context.obj([0, 0, 300, 300]));
    made.catalog.set(PDFName.of("ViewerPreferences"), own());
    const drawn = made.context.stream("", {
      Type: "XObject",
      Subtype: "Form",
      "PXCV:Owner": text("Lantern"),
    });
    made.getPage(0).node.newXObject("X", made.context.register(drawn));
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "cleaned", reveals: ["time", "author"] });
    expect(await all(found.bytes)).not.toMatch(/Lantern/);
    expect((await reopened(found.bytes)).getPage(0).getSize()).toEqual({ width: 300, height: 300 });
  });

  it.each<[string, (made: PDFDocument) => void]>([
    [
      "the authors of its articles",
      (made) =>
        made.catalog.set(
          PDFName.of("Threads"),
          made.context.obj([{ Type: "Thread", I: { Author: text("Lantern") } }]),
        ),
    ],
    [
      "the people of its layers",
      (made) =>
        made.catalog.set(
          PDFName.of("OCProperties"),
          made.context.obj({
            OCGs: [{ Type: "OCG", Usage: { User: { Type: "Ind", Name: text("Lantern") } } }],
          }),
        ),
    ],
    [
      "the paths of its pictures",
      (made) =>
        made.catalog.set(
          PDFName.of("StructTreeRoot"),
          made.context.obj({
            K: { Type: "StructElem", S: "Figure", Alt: text("C:\\Users\\Lantern\\a.png") },
          }),
        ),
    ],
    [
      "the files that its forms were made from",
      (made) => {
        const own = { OPI: { "2.0": { F: text("Lantern.eps") } }, Ref: { F: text("Lantern.pdf") } };
        const form = made.context.stream("", { Type: "XObject", Subtype: "Form", ...own });
        made.getPage(0).node.newXObject("X", made.context.register(form));
      },
    ],
  ])("loses the names in %s", async (_, add) => {
    const made = await document();
    add(made);
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found.state).toBe("cleaned");
    expect(await all(found.bytes)).not.toMatch(/Lantern/);
  });

  it.each([
    ["/home/lantern/a", "Picture"],
    ["Lantern.png", "Picture"],
    [String.raw`\frac{a}{b}`, String.raw`\frac{a}{b}`],
    ["A: the hall", "A: the hall"],
    ["~10 people", "~10 people"],
    ["Error in /home/lantern/a of the screen", "Error in /home/lantern/a of the screen"],
  ])("of an anonymous report describes a picture by %s as %s", async (given, expected) => {
    const made = await document();
    const figure = made.context.obj({ Type: "StructElem", S: "Figure" });
    figure.set(PDFName.of("Alt"), PDFHexString.fromText(given));
    made.catalog.set(PDFName.of("StructTreeRoot"), made.context.obj({ K: made.context.register(figure) }));
    const found = await cleanBytes(await saved(made), "application/pdf", { anonymous: true });
    expect(found.state).toBe("cleaned");
    const root = (await reopened(found.bytes)).catalog.lookup(PDFName.of("StructTreeRoot"), PDFDict);
    const alt = root.lookup(PDFName.of("K"), PDFDict).lookup(PDFName.of("Alt"), PDFString, PDFHexString);
    expect(alt.decodeText()).toBe(expected);
  });

  it("of an anonymous report may link to a page whose address looks like a home folder", async () => {
    const made = await document();
    const link = made.context.obj({ Subtype: "Link", Rect: [0, 0, 9, 9], A: { S: "URI" } });
    link
      .lookup(PDFName.of("A"), PDFDict)
      .set(PDFName.of("URI"), text("https://example.org/login?next=/users/ada"));
    annotate(made, link);
    const found = await cleanBytes(await saved(made), "application/pdf", { anonymous: true });
    expect(found.state).toBe("cleaned");
  });

  it("of an anonymous report is refused where it names a home folder outside of what somebody wrote", async () => {
    for (const [key, state] of [
      ["DS", "not_inspected"],
      ["Contents", "cleaned"],
    ] as const) {
      const made = await document();
      const note = made.context.obj({ Subtype: "Text", Rect: [0, 0, 9, 9] });
      note.set(PDFName.of(key), text("C:\\\\Users\\\\Lantern\\\\a.png"));
      annotate(made, note);
      const found = await cleanBytes(await withoutInfo(made), "application/pdf", { anonymous: true });
      expect(found.state).toBe(state);
    }
  });

  const script = { S: "JavaScript", JS: text("Lantern") };
  it.each<[string, (made: PDFDocument) => void]>([
    ["a script", (made) => made.catalog.set(PDFName.of("OpenAction"), made.context.obj(script))],
    [
      "a call of an address",
      (made) =>
        made.catalog.set(
          PDFName.of("OpenAction"),
          made.context.obj({ S: "URI", URI: text("https://example.org/Lantern") }),
        ),
    ],
    [
      "a script whose kind is an object of its own",
      (made) => {
        const S = made.context.register(PDFName.of("JavaScript"));
        annotate(made, made.context.obj({ Subtype: "Link", Rect: [0, 0, 9, 9], A: { ...script, S } }));
      },
    ],
    ["a script at its end", (made) => made.catalog.set(PDFName.of("AA"), made.context.obj({ WC: script }))],
    [
      "a script of its names",
      (made) =>
        made.catalog.set(
          PDFName.of("Names"),
          made.context.obj({ JavaScript: { Names: [text("a"), script] } }),
        ),
    ],
    [
      "a script of a page",
      (made) => made.getPage(0).node.set(PDFName.of("AA"), made.context.obj({ O: script })),
    ],
    [
      "a form that is sent",
      (made) =>
        annotate(
          made,
          made.context.obj({
            Subtype: "Widget",
            Rect: [0, 0, 9, 9],
            A: { S: "SubmitForm", F: { FS: "URL", F: text("https://example.org/Lantern") } },
            AA: { PO: script },
          }),
        ),
    ],
    [
      "a script of a field",
      (made) =>
        made.catalog.set(
          PDFName.of("AcroForm"),
          made.context.obj({ Fields: [{ FT: "Tx", T: text("Door"), AA: { C: script } }] }),
        ),
    ],
    [
      "a script behind a link",
      (made) =>
        annotate(
          made,
          made.context.obj({
            Subtype: "Link",
            Rect: [0, 0, 9, 9],
            A: { S: "URI", URI: text("https://example.org"), Next: script },
          }),
        ),
    ],
    [
      "a program that is started",
      (made) =>
        annotate(
          made,
          made.context.obj({
            Subtype: "Link",
            Rect: [0, 0, 9, 9],
            A: { S: "Launch", Win: { F: text("Lantern.exe") } },
          }),
        ),
    ],
  ])("loses %s", async (_, add) => {
    const made = await document();
    add(made);
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "cleaned", reveals: [] });
    expect(await all(found.bytes)).not.toMatch(/Lantern/);
    expect((await reopened(found.bytes)).getPageCount()).toBe(1);
  });

  it("keeps the place that it opens at, its bookmarks, and links to the web", async () => {
    const made = await document();
    const to = { S: "GoTo", D: [made.getPage(0).ref, "Fit"] };
    made.catalog.set(PDFName.of("OpenAction"), made.context.obj(to));
    const second = made.context.register(made.context.obj({ Title: text("Second"), A: to }));
    const first = made.context.register(made.context.obj({ Title: text("First"), A: to, Next: second }));
    made.catalog.set(PDFName.of("Outlines"), made.context.obj({ First: first, Last: second, Count: 2 }));
    annotate(
      made,
      made.context.obj({
        Subtype: "Link",
        Rect: [0, 0, 9, 9],
        A: { S: "URI", URI: text("https://example.org") },
      }),
    );
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "clean", copy: null });
  });

  it("keeps the names of its form fields, and destinations with a colon in their name", async () => {
    const made = await document();
    annotate(
      made,
      made.context.obj({
        Type: "Annot",
        Subtype: "Widget",
        Rect: [0, 0, 9, 9],
        FT: "Tx",
        T: text("Door"),
        V: text("Left"),
      }),
    );
    made.catalog.set(PDFName.of("Dests"), made.context.obj({ "part:1": [made.getPage(0).ref, "Fit"] }));
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "clean", copy: null });
  });

  it("loses the metadata of its photographs, and keeps the photographs", async () => {
    const made = await document();
    const photo = await picture().withExif(EXIF).jpeg().toBuffer();
    made.getPage(0).drawImage(await made.embedJpg(photo));
    const found = await cleanBytes(await withoutInfo(made), "application/pdf");
    expect(found).toMatchObject({ state: "cleaned", reveals: ["place", "device", "time"] });
    expect(found.bytes?.includes("Lantern")).toBe(false);
    const start = (found.bytes as Buffer).indexOf(Buffer.from([0xff, 0xd8, 0xff]));
    const { width, exif } = await sharp((found.bytes as Buffer).subarray(start)).metadata();
    expect([width, exif]).toEqual([24, undefined]);
  });

  it("that is signed was read, and stays as it is", async () => {
    const made = await document();
    made.setAuthor("Lantern Person");
    const signature = made.context.obj({ Type: "Sig", ByteRange: [0, 1, 2, 3] });
    made.catalog.set(PDFName.of("Perms"), made.context.register(signature));
    const found = await cleanBytes(await saved(made), "application/pdf");
    expect(found).toMatchObject({ state: "not_cleanable", copy: null });
    expect(found.reveals).toContain("author");
  });

  it.each<[string, (made: PDFDocument) => void | Promise<void>]>([
    ["files of its own", (made) => made.attach(Buffer.from("More."), "more.txt", { mimeType: "text/plain" })],
    ["a form in XML", (made) => made.catalog.set(PDFName.of("XFA"), PDFString.of("Lantern"))],
    ["a film", (made) => register(made, { Type: "Annot", Subtype: "RichMedia" })],
    ["a link to a file", (made) => register(made, { S: "Launch", F: PDFString.of("/home/lantern/a.txt") })],
    [
      "an address of a file",
      (made) => register(made, { S: "URI", URI: PDFString.of("file:///home/lantern/a") }),
    ],
    [
      "a JPEG 2000 with a comment",
      (made) =>
        void made.catalog.set(
          PDFName.of("A"),
          made.context.register(made.context.stream(Buffer.from("ff4fff51", "hex"), { Filter: "JPXDecode" })),
        ),
    ],
    [
      "a broken JPEG",
      (made) =>
        void made.catalog.set(
          PDFName.of("A"),
          made.context.register(made.context.stream("Lantern", { Filter: "DCTDecode" })),
        ),
    ],
  ])("with %s was not inspected", async (_, add) => {
    const made = await document();
    await add(made);
    expect(await cleanBytes(await saved(made), "application/pdf")).toMatchObject(NOT_INSPECTED);
  });

  const register = (made: PDFDocument, entries: Record<string, string | PDFString>) =>
    void made.catalog.set(PDFName.of("A"), made.context.register(made.context.obj(entries)));

  it("that takes a password was not inspected", async () => {
    const locked = await document();
    locked.setAuthor("Lantern Person");
    locked.encrypt({ userPassword: "a", ownerPassword: "b" });
    expect(await cleanBytes(await saved(locked), "application/pdf")).toMatchObject(NOT_INSPECTED);
  });

  it.each([false, true])(
    "that is encrypted and opens without a password is cleaned (object streams: %s)",
    async (useObjectStreams) => {
      const locked = await document();
      locked.setTitle("Lantern Person");
      locked.encrypt({ userPassword: "", ownerPassword: "b" });
      const found = await cleanBytes(await saved(locked, useObjectStreams), "application/pdf");
      expect(found.state).toBe("cleaned");
      expect(await all(found.bytes)).not.toMatch(/Encrypt/);
      const { node } = (await reopened(found.bytes)).getPage(0);
      const stream = node.lookup(PDFName.of("Contents"), PDFArray).lookup(0, PDFStream) as PDFRawStream;
      expect(Buffer.from(decodePDFRawStream(stream).decode()).toString()).toContain(
        `<${Buffer.from("The minutes.").toString("hex").toUpperCase()}> Tj`,
      );
    },
  );

  it("that is broken was not inspected, also where nothing refers to what is", async () => {
    const made = await document();
    made.setAuthor("Lantern Person");
    const whole = await saved(made);
    const at = whole.indexOf("xref");
    const orphan = Buffer.from("90 0 obj\n<< /A (Lantern /B >>\nendobj\n");
    for (const bytes of [
      Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Cat"),
      Buffer.concat([whole.subarray(0, at), orphan, whole.subarray(at)]),
    ])
      expect(await cleanBytes(bytes, "application/pdf")).toMatchObject(NOT_INSPECTED);
  });

  it("that would exhaust the memory ends its inspection process only", async () => {
    const bomb = packZeros(900);
    const head = `%PDF-1.7\n1 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${bomb.length} >>\nstream\n`;
    const tail = "\nendstream\nendobj\ntrailer\n<< /Root 2 0 R >>\n";
    const bytes = Buffer.concat([Buffer.from(head), bomb, Buffer.from(tail)]);
    let found: CleanedBytes | undefined;
    let other: CleanedBytes | undefined;
    const ownMs = await measureCpuMs(async () => {
      [found, other] = await Promise.all([
        cleanBytes(bytes, "application/pdf"),
        cleanBytes(await picture().withExif(EXIF).jpeg().toBuffer(), "image/jpeg"),
      ]);
    });
    expect(found).toMatchObject(NOT_INSPECTED);
    expect(other?.state).toBe("cleaned");
    // To unpack it takes more than that.
    expect(ownMs).toBeLessThan(500);
    expect((await cleanBytes(await withoutInfo(await document()), "application/pdf")).state).toBe("clean");
  });
});

describe("an office document", () => {
  const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const TEXT = "application/vnd.oasis.opendocument.text";

  it.each([
    [WORD, createDocx],
    ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", createXlsx],
    ["application/vnd.openxmlformats-officedocument.presentationml.presentation", createPptx],
    [TEXT, () => createOdf("text")],
    ["application/vnd.oasis.opendocument.spreadsheet", () => createOdf("spreadsheet")],
    ["application/vnd.oasis.opendocument.presentation", () => createOdf("presentation")],
  ])("%s is cleaned, and stays what it is", async (mimetype, make) => {
    const found = await cleanBytes(await make(), mimetype);
    expect(found).toMatchObject({ state: "cleaned", copy: { mimetype } });
    expect(found.reveals).toEqual(expect.arrayContaining(["device", "time", "author"]));
    expect((await findAcceptedFileType(found.copy?.path ?? ""))?.mimetype).toBe(mimetype);
    expect(await cleanBytes(found.bytes as Buffer, mimetype)).toMatchObject({
      state: "clean",
      reveals: [],
      copy: null,
    });
  });

  it("loses the metadata of its photographs, and keeps the photographs", async () => {
    const found = await cleanBytes(await createDocx(), WORD);
    expect(found.reveals).toContain("place");
    const picture = await (await ZipArchive.open(found.bytes as Buffer)).read("word/media/image1.jpeg");
    const { width, height, exif } = await sharp(picture).metadata();
    expect([width, height, exif]).toEqual([24, 16, undefined]);
  });

  it("that would unpack to very much was not inspected", async () => {
    const bytes = await createDocx({ "word/settings.xml": Buffer.alloc(80 * 1024 * 1024, " ") });
    expect(bytes.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage.rss();
    expect(await cleanBytes(bytes, WORD)).toMatchObject(NOT_INSPECTED);
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 1024 * 1024);
  });
});

describe("anything else", () => {
  it.each([
    ["text/plain", "What I saw.", "clean", []],
    ["application/msword", createDoc(), "not_cleanable", ["device", "time", "author"]],
    ["application/rtf", createRtf(), "not_cleanable", ["device", "time", "author"]],
    ["video/quicktime", createIphoneFilm(), "not_cleanable", ["place", "device", "time", "author"]],
    ["audio/wav", createWav({ IART: "Maya Castillo" }), "not_cleanable", ["author"]],
    ["audio/wav", createWav(), "not_cleanable", []],
  ])("of type %s (%#) says what it reveals", async (mimetype, content, state, reveals) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    expect(await cleanBytes(bytes, mimetype)).toMatchObject({ state, reveals, copy: null });
  });

  it.each(["image/heic", "image/bmp", "video/mp4", "application/msword", "application/pdf"])(
    "with the extension of %s and other content was not inspected",
    async (mimetype) => {
      expect(await cleanBytes(Buffer.from("What I saw."), mimetype)).toMatchObject(NOT_INSPECTED);
    },
  );
});
