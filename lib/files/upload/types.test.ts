import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { crc32, gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import {
  createAppleSound,
  createBareFilm,
  createFilmWithTracks,
  createHeic,
  createWebm,
} from "#e2e/support/recordings.ts";
import { ACCEPTED_FILE_TYPES, FILE_DIALOG_ACCEPT, WAYS_OUT } from "#lib/files/file-types.ts";
import errorTerms from "#lib/i18n/messages/en/errorTerms.ts";
import {
  findAcceptedFileType,
  getDefaultExtension,
  requireAcceptedFileType,
  detectStreamFileType,
} from "./types.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-types-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function typeOf(bytes: Buffer | string, filename = ""): Promise<string | undefined> {
  const file = path.join(folder, "sample");
  await writeFile(file, bytes);
  const type = await findAcceptedFileType(file, filename);
  return type ? `${type.mimetype} ${type.extension}` : undefined;
}

const picture = () => sharp({ create: { width: 8, height: 8, channels: 3, background: "#a33" } });
const ascii = (text: string, length = 4096) =>
  Buffer.concat([Buffer.from(text, "latin1"), Buffer.alloc(length)]);

/** A zip archive whose entries are stored without compression. */
function zip(entries: Record<string, string>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const body = Buffer.from(text);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(crc32(body), 10);
    shared.writeUInt32LE(body.length, 14);
    shared.writeUInt32LE(body.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([Buffer.from("PK\x03\x04"), shared, Buffer.from(name), body]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), shared, place, Buffer.from(name)]));
    local.push(entry);
    offset += entry.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...central, end]);
}

const openXml = (part: string, type: string) =>
  zip({
    "[Content_Types].xml": `<Types><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    [part]: "<x/>",
  });

/** A compound file (old Office, installers) with one stream in its directory. */
function compound(stream: string): Buffer {
  const bytes = Buffer.alloc(512 * 3);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(bytes);
  const entry = 512 + 128;
  bytes.write(stream, entry, "utf16le");
  bytes.writeUInt16LE((stream.length + 1) * 2, entry + 64);
  bytes[entry + 66] = 2;
  return bytes;
}

describe("findAcceptedFileType accepts", () => {
  const cases: [string, () => Buffer | string | Promise<Buffer>, string][] = [
    ["PNG", () => picture().png().toBuffer(), "image/png png"],
    ["JPEG", () => picture().jpeg().toBuffer(), "image/jpeg jpg"],
    ["WebP", () => picture().webp().toBuffer(), "image/webp webp"],
    ["GIF", () => picture().gif().toBuffer(), "image/gif gif"],
    ["TIFF", () => picture().tiff().toBuffer(), "image/tiff tiff"],
    ["AVIF", () => picture().avif({ effort: 0 }).toBuffer(), "image/avif avif"],
    ["HEIC", () => ascii("\0\0\0\x18ftypheic\0\0\0\0heicmif1"), "image/heic heic"],
    ["BMP", () => ascii("BM"), "image/bmp bmp"],
    ["PDF", () => ascii("%PDF-1.7\n"), "application/pdf pdf"],
    ["MP3", () => ascii("ID3\x03\0\0\0\0\0\0\xff\xfb\x90\x44"), "audio/mpeg mp3"],
    ["M4A", () => ascii("\0\0\0\x18ftypM4A \0\0\0\0M4A mp42"), "audio/mp4 m4a"],
    ["WAV", () => ascii("RIFF\x24\x10\0\0WAVEfmt "), "audio/wav wav"],
    ["FLAC", () => ascii("fLaC"), "audio/flac flac"],
    ["Opus", () => ascii(`OggS${"\0".repeat(24)}OpusHead`), "audio/ogg ogg"],
    ["Ogg Vorbis", () => ascii(`OggS${"\0".repeat(24)}\x01vorbis`), "audio/ogg ogg"],
    ["MP4", () => ascii("\0\0\0\x18ftypisom\0\0\0\0isommp42"), "video/mp4 mp4"],
    ["QuickTime", () => ascii("\0\0\0\x14ftypqt  \0\0\0\0qt  "), "video/quicktime mov"],
    ["3GP", () => ascii("\0\0\0\x18ftyp3gp4\0\0\0\x003gp4isom"), "video/3gpp 3gp"],
    ["WebM", () => ascii("\x1a\x45\xdf\xa3\x87\x42\x82\x84webm"), "video/webm webm"],
    ["Matroska", () => ascii("\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska"), "video/x-matroska mkv"],
    ["RTF", () => ascii("{\\rtf1\\ansi }", 0), "application/rtf rtf"],
    [
      "DOCX",
      () => openXml("word/document.xml", "wordprocessingml.document"),
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document docx",
    ],
    [
      "XLSX",
      () => openXml("xl/workbook.xml", "spreadsheetml.sheet"),
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx",
    ],
    [
      "PPTX",
      () => openXml("ppt/presentation.xml", "presentationml.presentation"),
      "application/vnd.openxmlformats-officedocument.presentationml.presentation pptx",
    ],
    [
      "ODT",
      () => zip({ mimetype: "application/vnd.oasis.opendocument.text", "content.xml": "<x/>" }),
      "application/vnd.oasis.opendocument.text odt",
    ],
    ["old Word", () => compound("WordDocument"), "application/msword doc"],
    ["old Excel", () => compound("Workbook"), "application/vnd.ms-excel xls"],
    ["old PowerPoint", () => compound("PowerPoint Document"), "application/vnd.ms-powerpoint ppt"],
    ["plain text", () => "Zoë said:\r\n\t“no” 🎉\n", "text/plain txt"],
    ["text with a multi-byte character on a chunk's edge", () => `${"x".repeat(65535)}🎉`, "text/plain txt"],
    ["text that mentions markup", () => "he wrote <b>no</b> to me", "text/plain txt"],
    ["a PDF behind other bytes", () => ascii(`${"\0\xff".repeat(400)}%PDF-1.7\n`), "application/pdf pdf"],
    ["a PDF of text behind other text", () => "Subject: x\n\n%PDF-1.4\n%%EOF\n", "application/pdf pdf"],
    ["text about PDFs", () => "It said %PDF-1.4 on the screen.", "text/plain txt"],
  ];
  it.each(cases)("%s", async (_, make, expected) => expect(await typeOf(await make())).toBe(expected));
});

test.each([
  "The free drinks", // "free" where the first box of a QuickTime file has its type
  "BMW, grey",
  "GIFs of me",
  "FORMAL COMPLAINT",
  "FORM\0\0\0\0AIFF".replaceAll("\0", " "),
  "ID3 talk",
  "RIFF over WAVE",
  "MZ was there",
  "OggS was playing",
  "fLaC, he said",
  "Rar!",
  "BEGIN:VCARD\nFN:Jane Roe\nEND:VCARD\n",
  "BEGIN:VCALENDAR\nEND:VCALENDAR\n",
  "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n",
  "1\n00:00:00,000 --> 00:00:02,000\nHello\n",
])("text is text, whatever it begins with: %j", async (text) => {
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`${text} Zo\xeb`, "latin1"),
    utf16,
    Buffer.from(utf16).swap16(),
  ])
    expect(await typeOf(bytes, "notes.txt")).toBe("text/plain txt");
});

describe("a GPS track", () => {
  const gpx = (inner = "", prolog = '<?xml version="1.0"?>\n') =>
    `${prolog}<gpx version="1.1" creator="Lantern" xmlns="http://www.topografix.com/GPX/1/1">${inner}</gpx>`;

  it("is text, with and without a prolog", async () => {
    for (const bytes of [gpx(), gpx("", ""), gpx("<wpt lat='52.52' lon='13.405'/>".repeat(4000))])
      expect(await typeOf(bytes, "track.gpx")).toBe("text/plain txt");
  });

  it.each([
    ["a script", gpx("<script>alert(1)</script>")],
    ["elements of web pages", gpx('<a xmlns="http://www.w3.org/1999/xhtml"/>')],
    ["a namespace in disguise", gpx('<a xmlns="http://www.w3.org/1999/x&#104;tml"/>')],
    ["a style sheet", gpx("", '<?xml version="1.0"?><?xml-stylesheet href="a"?>')],
    ["entities", gpx("", "<!DOCTYPE gpx [<!ENTITY a 'b'>]>")],
    ["a script behind much else", gpx(`${" ".repeat(65_536 - 110)}<script>alert(1)</script>`)],
  ])("isn't accepted with %s", async (_, text) => expect(await typeOf(text, "track.gpx")).toBeUndefined());
});

describe("a container", () => {
  const ftyp = (...brands: string[]) => {
    const [major = "", ...others] = brands;
    const bytes = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${others.join("")}`, "latin1");
    bytes.writeUInt32BE(bytes.length);
    return bytes;
  };

  it.each([
    ["a film", createFilmWithTracks("isom", "vide", "soun"), "video/mp4 mp4"],
    ["a sound in MP4, as Android records it", createBareFilm(), "audio/mp4 m4a"],
    ["a sound in 3GP", createFilmWithTracks("3gp4", "soun"), "audio/3gpp 3gp"],
    ["a sound in 3GP2", createFilmWithTracks("3g2a", "soun"), "audio/3gpp2 3g2"],
    ["a sound in QuickTime", createFilmWithTracks("qt  ", "soun", "meta"), "audio/quicktime qta"],
    ["a sound in QuickTime without a brand", createAppleSound(), "audio/quicktime qta"],
    ["a film with the brand of sounds", createFilmWithTracks("M4A ", "soun", "vide"), "video/mp4 mp4"],
    ["a film of metadata only", createFilmWithTracks("isom", "meta"), "video/mp4 mp4"],
    ["a sound in WebM", createWebm(), "audio/webm weba"],
    ["a film in WebM", createWebm({ tracks: [1, 2] }), "video/webm webm"],
    ["a sound in WebM that was recorded live", createWebm({ isLive: true }), "audio/webm weba"],
    [
      "HEIC by its brands",
      Buffer.concat([ftyp("miaf", "mif1", "heic"), Buffer.alloc(64)]),
      "image/heic heic",
    ],
    ["HEIC of version 2", Buffer.concat([ftyp("mif2", "mif1", "heic"), Buffer.alloc(64)]), "image/heic heic"],
    ["HEIC in layers", Buffer.concat([ftyp("heim", "mif1"), Buffer.alloc(64)]), "image/heic heic"],
    ["HEIC in scales", Buffer.concat([ftyp("heis", "mif1"), Buffer.alloc(64)]), "image/heic heic"],
    ["an animated AVIF", Buffer.concat([ftyp("avis", "msf1", "avif"), Buffer.alloc(64)]), "image/avif avif"],
    ["a sequence in AVIF", Buffer.concat([ftyp("msf1", "avis"), Buffer.alloc(64)]), "image/avif avif"],
    ["HEIF of an unknown codec", Buffer.concat([ftyp("miaf", "mif1"), Buffer.alloc(64)]), "image/heif heif"],
  ])("with %s is named by what it holds", async (_, bytes, type) => expect(await typeOf(bytes)).toBe(type));

  it("with very many parts is read up to a limit", async () => {
    const bytes = Buffer.concat([
      ftyp("isom"),
      ...Array.from({ length: 50_000 }, () => Buffer.from("00000008667265650", "hex")),
    ]);
    expect(await typeOf(bytes)).toBe("video/mp4 mp4");
  });
});

describe("findAcceptedFileType refuses", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const cases: [string, () => Buffer | string | Promise<Buffer>, string?][] = [
    ["SVG", () => svg],
    ["SVG with a prolog", () => `<?xml version="1.0"?>\n<!-- x -->${svg}`],
    ["SVG, zipped", () => gzipSync(svg)],
    ["HTML", () => "\n <!DOCTYPE html><html><script>alert(1)</script>"],
    ["a bare script element", () => "<script>alert(1)</script>"],
    ["HTML behind a byte-order mark", () => "\ufeff<html>"],
    ["PHP", () => "<?php system('id');"],
    ["a shell script", () => "#!/bin/sh\nid\n"],
    ["a script that begins like a sound", () => "#!AMR\nid\n"],
    ["script text named as an image", () => "alert(document.cookie)", "a.png"],
    ["a Windows program", () => ascii("MZ\x90\0")],
    ["an ELF program", () => ascii("\x7fELF\x02\x01\x01")],
    ["a zip archive", () => zip({ "a.txt": "x" })],
    ["a Java archive", () => zip({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n", "A.class": "x" })],
    [
      "an Office file with macros",
      () =>
        zip({
          "[Content_Types].xml":
            '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>',
          "word/document.xml": "<x/>",
        }),
    ],
    ["a compound file that is no Office file", () => compound("AdminExecuteSequence")],
    ["text with a control character", () => "a\x1b[31mred"],
    ["text with NUL", () => "a\0b"],
    ["text with a byte that Latin-1 and its kin leave open", () => Buffer.from([0x61, 0x81, 0x62])],
    ["UTF-16 cut inside a character", () => Buffer.from("\ufeffabc", "utf16le").subarray(0, -1)],
    ["a web page in UTF-16", () => Buffer.from("\ufeff<html><script>", "utf16le")],
    ["a web page in UTF-16 without its mark", () => Buffer.from("<html><script>", "utf16le")],
    ["a web page with an umlaut in Latin-1", () => Buffer.from("<html>\xfc", "latin1")],
    ["random bytes", () => Buffer.from("93f1c29b0d1f", "hex")],
    ["nothing", () => ""],
  ];
  it.each(cases)("%s", async (_, make, filename) =>
    expect(await typeOf(await make(), filename)).toBeUndefined(),
  );

  it.each([
    ["a program", ascii("MZ"), "photo.png", "other"],
    ["a drawing", svg, "map.svg", "picture"],
    ["a photo in an unknown format", ascii("\0\0\0\x0cJXL \r\n\x87\n"), "photo", "picture"],
    ["a sound", ascii("FORM\0\0\x10\0AIFF"), "talk.aiff", "sound"],
    ["a film", ascii("RIFF\x24\x10\0\0AVI LIST"), "hallway", "video"],
    ["a web page", "<html>", "page.html", "document"],
    ["a document in an archive", zip({ "Index/Document.iwa": "x" }), "letter.pages", "document"],
    ["an archive", zip({ "a.txt": "x" }), "all", "archive"],
    ["text under the name of a table", "a\tb", "list.xls", "other"],
  ])("%s with 415, and says the way out", async (_, content, name, wayOut) => {
    const file = path.join(folder, "refused");
    await writeFile(file, content);
    await expect(requireAcceptedFileType(file, name)).rejects.toMatchObject({
      code: "UNSUPPORTED_FILE_TYPE",
      key: "fileTypeNotSupported",
      values: { wayOut: { term: `wayOut.${wayOut}` } },
    });
  });

  it.each([
    ["Shift-JIS", Buffer.from("82b182f182c982bf82cd81428f5d", "hex")],
    ["ISO-2022-JP", Buffer.from("Subject \x1b$B$3$s\x1b(B", "latin1")],
    ["UTF-32", Buffer.from("fffe0000480000006900000021000000", "hex")],
    ["UTF-16 that breaks off", Buffer.from("\ufeffabc", "utf16le").subarray(0, -1)],
    ["UTF-8 with colors of a terminal", Buffer.from(`${"It was loud. ".repeat(9)}\x1b[31mred`)],
  ])("text in %s, and says so", async (_, bytes) => {
    const file = path.join(folder, "refused");
    await writeFile(file, bytes);
    await expect(requireAcceptedFileType(file, "notes.txt")).rejects.toMatchObject({
      code: "UNSUPPORTED_FILE_TYPE",
      key: "textNotSupported",
    });
  });
});

it.each([
  ["UTF-8", Buffer.from("Grüße, 会議")],
  ["Latin-1", Buffer.from("Grüße aus Zürich, à bientôt", "latin1")],
  ["windows-1252", Buffer.from([0x93, 0x48, 0x69, 0x94, 0x20, 0x80])],
  ["UTF-16 with its mark", Buffer.from("\ufeffGrüße, 会議", "utf16le")],
  ["UTF-16, big-endian", Buffer.from("\ufeffGrüße, 会議", "utf16le").swap16()],
  ["UTF-16 without its mark", Buffer.from("What I saw at the desk", "utf16le")],
  ["UTF-16 without its mark, big-endian", Buffer.from("What I saw at the desk", "utf16le").swap16()],
])("text in %s is plain text", async (_, bytes) => {
  expect(await typeOf(bytes, "note.txt")).toBe("text/plain txt");
  expect(await typeOf(bytes, "note.png")).toBeUndefined();
});

describe("the type of a stream", () => {
  it("is that of its content, and nothing of it is lost", async () => {
    const bytes = Buffer.concat([createHeic(), Buffer.alloc(100_000, 7)]);
    const stream = Readable.from([bytes.subarray(0, 60_000), bytes.subarray(60_000)], { objectMode: false });
    expect(await detectStreamFileType(stream)).toEqual({ mimetype: "image/heic", extension: "heic" });
    expect(await buffer(stream)).toEqual(bytes);
  });

  it("is unknown where it is text, or nothing", async () => {
    for (const content of ["What I saw.", ""])
      expect(
        await detectStreamFileType(Readable.from([Buffer.from(content)], { objectMode: false })),
      ).toBeNull();
  });

  it("fails with the stream", async () => {
    const broken = new Readable({ read: (): void => void broken.destroy(new Error("gone")) });
    await expect(detectStreamFileType(broken)).rejects.toThrow("gone");
  });
});

test("each type has an extension, and no other has one", () => {
  expect([getDefaultExtension("image/jpeg"), getDefaultExtension("audio/mp4")]).toEqual(["jpg", "m4a"]);
  expect(() => getDefaultExtension("text/html")).toThrow("no default extension");
});

test("the file dialog offers each extension and type that is accepted, and no whole kind", () => {
  const offered = FILE_DIALOG_ACCEPT.split(",");
  for (const { mimetype, extensions } of ACCEPTED_FILE_TYPES)
    expect(offered).toEqual(expect.arrayContaining([mimetype, ...extensions.map((one) => `.${one}`)]));
  expect(offered.filter((one) => !/^(\.[a-z0-9]+|[a-z]+\/[a-z0-9.+-]+)$/.test(one))).toEqual([]);
});

test("each way out has a text", () => {
  for (const wayOut of WAYS_OUT) expect(errorTerms).toHaveProperty([`wayOut.${wayOut}`]);
});
