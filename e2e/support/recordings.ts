/** Small generated sounds, films and phone photographs. */

const be32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const le32 = (value: number): Buffer => be32(value).reverse();
const be16 = (value: number): Buffer => be32(value).subarray(2);
type Piece = Buffer | string;
const joinPieces = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : piece)));

/** Creates a box of MP4 and QuickTime. */
export function createBox(type: string, ...content: Piece[]): Buffer {
  const bytes = joinPieces(content);
  return joinPieces([be32(bytes.length + 8), type, bytes]);
}

/** March 2026, in seconds since 1904. */
const MARCH_2026_SECONDS = 3_855_556_800;

const movieHeader = (time: number): Buffer =>
  createBox(
    "mvhd",
    be32(0),
    be32(time),
    be32(time),
    be32(1000),
    be32(1000),
    be32(0x10000),
    be16(0x100),
    Buffer.alloc(70),
    be32(2),
  );
const handler = (kind: string): Buffer => createBox("hdlr", be32(0), be32(0), kind, Buffer.alloc(12), "\0");

/** A second of silence, as one track, or another kind of track with the same data. */
const track = (kind = "soun"): Buffer => {
  const sound = createBox(
    "sowt",
    Buffer.alloc(6),
    be16(1),
    Buffer.alloc(8),
    be16(1),
    be16(16),
    Buffer.alloc(4),
    be32(8000 * 65536),
  );
  const table = createBox(
    "stbl",
    createBox("stsd", be32(0), be32(1), sound),
    createBox("stts", be32(0), be32(1), be32(8000), be32(1)),
    createBox("stsc", be32(0), be32(0)),
    createBox("stsz", be32(0), be32(2), be32(8000)),
    createBox("stco", be32(0), be32(0)),
  );
  const data = createBox("dinf", createBox("dref", be32(0), be32(1), createBox("url ", be32(1))));
  return createBox(
    "trak",
    createBox("tkhd", be32(7), Buffer.alloc(8), be32(1), be32(0), be32(1000), Buffer.alloc(60)),
    createBox(
      "mdia",
      createBox("mdhd", be32(0), Buffer.alloc(8), be32(8000), be32(8000), be16(0x55c4), be16(0)),
      handler(kind),
      createBox("minf", createBox("smhd", Buffer.alloc(8)), data, table),
    ),
  );
};

const createFilm = (brand: string, time: number, ...more: Buffer[]): Buffer =>
  Buffer.concat([
    createBox("ftyp", brand, be32(0), brand),
    createBox("moov", movieHeader(time), track(), ...more),
    createBox("mdat", Buffer.alloc(16_000)),
  ]);

const quickTimeText = (text: string): Buffer => joinPieces([be16(text.length), be16(0x15c7), text]);

/** Creates a film like an Android phone's, with place and time. */
export const createAndroidFilm = (): Buffer =>
  createFilm(
    "mp42",
    MARCH_2026_SECONDS,
    createBox("udta", createBox("\xa9xyz", quickTimeText("+52.5200+013.4050/"))),
  );

/** Creates a film like an iPhone's, with place, time, device and person. */
export function createIphoneFilm(): Buffer {
  const metadata = [
    ["com.apple.quicktime.location.ISO6709", "+52.5200+013.4050+034/"],
    ["com.apple.quicktime.make", "Lantern"],
    ["com.apple.quicktime.creationdate", "2026-03-01T10:15:00+0100"],
    ["com.apple.quicktime.author", "Maya Castillo"],
  ] as const;
  const keys = createBox(
    "keys",
    be32(0),
    be32(metadata.length),
    ...metadata.map(([name]) => createBox("mdta", name)),
  );
  const values = metadata.map(([, value], index) =>
    createBox(be32(index + 1).toString("latin1"), createBox("data", be32(1), be32(0), value)),
  );
  return createFilm("qt  ", 0, createBox("meta", handler("mdta"), keys, createBox("ilst", ...values)));
}

/** Creates a film with one sound and without metadata. */
export const createBareFilm = (): Buffer => createFilm("mp42", 0);

/** Creates a film without metadata that has tracks of these kinds. */
export const createFilmWithTracks = (brand: string, ...kinds: string[]): Buffer =>
  Buffer.concat([
    createBox("ftyp", brand, be32(0), brand),
    // Phones write their tracks behind the data.
    createBox("mdat", Buffer.alloc(16_000)),
    createBox("moov", movieHeader(0), ...kinds.map(track)),
  ]);

/** Creates a sound that its recorder, a program of this name, calls by the street. */
export function createVoiceMemo(program: string): Buffer {
  const tag = (name: string, text: string) => createBox(name, createBox("data", be32(1), be32(0), text));
  const list = createBox("ilst", tag("\xa9nam", "Torstrasse 5"), tag("\xa9too", program));
  return createFilm("M4A ", 0, createBox("udta", createBox("meta", be32(0), handler("mdir"), list)));
}

/** Creates a sound as older QuickTime programs write it, without a brand. */
export const createAppleSound = (): Buffer =>
  Buffer.concat([createBox("moov", movieHeader(0), track()), createBox("mdat", Buffer.alloc(16_000))]);

const chunk = (id: string, content: Buffer): Buffer =>
  joinPieces([id, le32(content.length), content, Buffer.alloc(content.length % 2)]);

/** Creates a sound with these texts: `IART` for the artist, `ISFT` for the program, `ICRD` for the date. */
export function createWav(metadata: Record<string, string> = {}): Buffer {
  const format = Buffer.from("01000100401f0000803e000002001000", "hex");
  const texts = Object.entries(metadata).map(([id, text]) => chunk(id, Buffer.from(`${text}\0`)));
  const list = texts.length > 0 ? chunk("LIST", joinPieces(["INFO", ...texts])) : Buffer.alloc(0);
  const content = joinPieces(["WAVE", chunk("fmt ", format), list, chunk("data", Buffer.alloc(1600))]);
  return joinPieces(["RIFF", le32(content.length), content]);
}

/** Creates a sound with these frames: `TPE1` for the artist, `TSSE` for the program. */
export function createMp3(metadata: Record<string, string>): Buffer {
  const frames = Object.entries(metadata).map(([id, text]) =>
    joinPieces([id, be32(text.length + 1), be16(0), Buffer.from([3]), text]),
  );
  const tags = Buffer.concat(frames);
  const size = [21, 14, 7, 0].map((shift) => (tags.length >> shift) & 0x7f);
  const silentFrames = joinPieces([Buffer.from("fffb90c4", "hex"), Buffer.alloc(413)]);
  return joinPieces(["ID3\x03\0\0", Buffer.from(size), tags, ...Array<Buffer>(20).fill(silentFrames)]);
}

/** An element of Matroska, by its id in hexadecimal digits. */
function element(id: string, ...content: Piece[]): Buffer {
  const bytes = joinPieces(content);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(bytes.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, "hex"), size, bytes]);
}

type WebmOptions = {
  /** 1 is picture, 2 is sound. */ tracks?: number[];
  /** No part knows its length. */ isLive?: boolean;
};

/** Creates a recording of a browser with its program and time. */
export function createWebm({ tracks: types = [2], isLive = false }: WebmOptions = {}): Buffer {
  const date = Buffer.alloc(8);
  date.writeBigInt64BE(794_140_000n * 1_000_000_000n);
  const about = element(
    "1549a966",
    element("2ad7b1", Buffer.from("0f4240", "hex")),
    element("5741", "Lantern 1"),
    element("4461", date),
  );
  const one = (id: string) => element(id, Buffer.from([1]));
  const sound = element("e1", element("b5", Buffer.from("40e7700000000000", "hex")));
  const tracks = element(
    "1654ae6b",
    ...types.map((type) =>
      element(
        "ae",
        one("d7"),
        one("73c5"),
        element("83", Buffer.from([type])),
        element("86", "A_OPUS"),
        sound,
      ),
    ),
  );
  const cluster = element("1f43b675", element("e7", Buffer.from([0])));
  const segment = element("18538067", about, tracks, cluster);
  if (isLive) segment.fill(0xff, 5, 12);
  return Buffer.concat([element("1a45dfa3", one("4286"), element("4282", "webm")), segment]);
}

/** Creates a photograph of 24 by 16 pixels like a phone's: HEVC in HEIF, with place, camera, time and a name. */
export const createHeic = (): Buffer => Buffer.from(HEIC_BASE64, "base64");

/** Creates a HEIC whose tile is a picture of its own beside the main one. */
export function createHeicWithTwoPictures(): Buffer {
  const bytes = createHeic();
  // The last bit of an item's flags hides it.
  bytes[bytes.indexOf("infe") + 7] = 0;
  return bytes;
}

/** Creates a motion photo as Android writes it: a box with a film behind the picture. */
export const createMotionHeic = (): Buffer =>
  Buffer.concat([createHeic(), createBox("mpvd", createBareFilm())]);

/**
 * Creates a JPEG with further pictures behind it and the index of them (CIPA DC-007), each of a type such as 0x020002
 * for the other eye of a stereo camera.
 */
export function createMultiPicture(
  picture: Buffer,
  others: readonly (readonly [type: number, picture: Buffer])[],
) {
  const entries = 16 * (others.length + 1);
  // The index and its tag, which has the entries behind it.
  const tiff = joinPieces([
    "MM\0*",
    be32(8),
    be16(1),
    be16(0xb002),
    be16(7),
    be32(entries),
    be32(26),
    be32(0),
  ]);
  const length = 2 + 4 + tiff.length + entries;
  const start = 2 + 2 + 2 + 4;
  let at = picture.length + 2 + length;
  const index = others.map(([type, other]) => {
    const entry = joinPieces([be32(type), be32(other.length), be32(at - start), be32(0)]);
    at += other.length;
    return entry;
  });
  const first = joinPieces([be32(0x030000), be32(picture.length + 2 + length), be32(0), be32(0)]);
  const segment = joinPieces([Buffer.from("ffe2", "hex"), be16(length), "MPF\0", tiff, first, ...index]);
  return joinPieces([
    picture.subarray(0, 2),
    segment,
    picture.subarray(2),
    ...others.map(([, other]) => other),
  ]);
}

type BitmapOptions = {
  headerBytes?: number;
  depth?: number;
  compression?: number;
  colorSpace?: number;
  /** Two characters, at the end of each row. */
  padding?: string;
  before?: string;
  behind?: string;
};

/** Creates a bitmap (BMP) of two by two pixels. */
export function createBitmap({
  headerBytes = 40,
  depth = 24,
  compression = 0,
  colorSpace = 0,
  padding = "\0\0",
  before = "",
  behind = "",
}: BitmapOptions = {}): Buffer {
  const row = depth === 32 ? "abcdefgh" : `${depth === 8 ? "ab" : "abcdef"}${padding}`;
  const pixels = joinPieces(compression === 1 ? ["\x02\x01\0\x01"] : [row, row]);
  const palette = depth === 8 ? Buffer.alloc(1024, 7) : Buffer.alloc(0);
  const masks = compression === 3 && headerBytes === 40 ? Buffer.alloc(12, 9) : Buffer.alloc(0);
  const header = Buffer.alloc(headerBytes);
  const isOld = headerBytes === 12;
  header.writeUInt32LE(headerBytes);
  for (const at of isOld ? [4, 6] : [4, 8]) header.writeUInt16LE(2, at);
  header.writeUInt16LE(1, isOld ? 8 : 12);
  header.writeUInt16LE(depth, isOld ? 10 : 14);
  if (!isOld) header.writeUInt32LE(compression, 16);
  if (!isOld) header.writeUInt32LE(pixels.length, 20);
  if (headerBytes === 124) header.writeUInt32LE(colorSpace, 56);
  const content = joinPieces([header, masks, palette, before]);
  const length = le32(14 + content.length + pixels.length + behind.length);
  return joinPieces(["BM", length, le32(0), le32(14 + content.length), content, pixels, behind]);
}

const HEIC_BASE64 = [
  "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAeFtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAA",
  "AAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAABgAEAAAAExpbG9jAQAAAERAAAMAAQAAAAAAAAIFAAEAAAAAAAAAKwACAAEAAAAA",
  "AAAAAQAAAAAAAAAIAAMAAAAAAAACMAABAAAAAAAAAUgAAABNaWluZgAAAAAAAwAAABVpbmZlAgAAAQABAABodmMxAAAAABVpbm",
  "ZlAgAAAAACAABncmlkAAAAABVpbmZlAgAAAQADAABFeGlmAAAAANVpcHJwAAAAs2lwY28AAABzaHZjQwEDcAAAAAAAAAAAAB7w",
  "APz9+PgAAA8DIAABABhAAQwB//8DcAAAAwCQAAADAAADAB66AkAhAAEAJ0IBAQNwAAADAJAAAAMAAAMAHqAggQWW6q6a5sCAAA",
  "ADAIAAAAMAhCIAAQAGRAHBc8GJAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAUaXNwZQAAAAAAAAAYAAAAEAAAABBwaXhpAAAAAAMI",
  "CAgAAAAaaXBtYQAAAAAAAAACAAECgQIAAgIDhAAAAChpcmVmAAAAAAAAAA5kaW1nAAIAAQABAAAADmNkc2MAAwABAAIAAAF7bW",
  "RhdAAAACcoAa9SFgUk5vzqv/+Wh8jy3n/3L5MiVHqkSlstqoCWWm6rUItLbLMAAAAASUkqAAgAAAAJAA8BAgAIAAAAmAAAABIB",
  "AwABAAAAAQAAABoBBQABAAAAegAAABsBBQABAAAAggAAACgBAwABAAAAAgAAADsBAgAOAAAAigAAABMCAwABAAAAAQAAAGmHBA",
  "ABAAAAoAAAACWIBAABAAAADgEAAAAAAAA4YwAA6AMAADhjAADoAwAATWF5YSBDYXN0aWxsbwBMYW50ZXJuAAcAAJAHAAQAAAAw",
  "MjEwA5ACABQAAAD6AAAAAZEHAAQAAAABAgMAAKAHAAQAAAAwMTAwAaADAAEAAAD//wAAAqAEAAEAAAAYAAAAA6AEAAEAAAAQAA",
  "AAAAAAADIwMjY6MDM6MDEgMTA6MTU6MDAAAgABAAIAAgAAAE4AAAACAAUAAwAAACwBAAAAAAAANAAAAAEAAAAfAAAAAQAAAAwA",
  "AAABAAAA",
].join("");
