/** What the copy of a picture leaves out, since it holds the main picture only. */
export const LOST_PARTS = ["video", "pictures"] as const;
export type LostPart = (typeof LOST_PARTS)[number];

/** The group of ExifReader about the pictures in a JPEG with several (CIPA DC-007), which its types leave out. */
type PictureIndex = {
  mpf?: {
    Images?: readonly {
      ImageType: { value: number };
      ImageOffset: { value: number };
      ImageSize: { value: number };
    }[];
  };
};

/**
 * Lists what a copy of a picture loses that people would miss: the clip of a motion photo, and further pictures.
 * Previews and the maps of brightness that screens use aren't among them.
 * @param groups the fields that ExifReader found in the picture
 */
export function listLostParts(bytes: Uint8Array, groups: object): LostPart[] {
  return LOST_PARTS.filter((part) => (part === "video" ? hasVideo(bytes) : hasOtherPicture(bytes, groups)));
}

/** Google, Samsung and Apple put the whole film behind the picture or into a box of its own. */
const FILM_BRAND = /^ftyp(iso[2-9a-m]|mp4[12]|avc1|hvc1|hev1|qt {2}|3g[p2].|M4V|MSNV|mmp4|dash)/;

function hasVideo(bytes: Uint8Array): boolean {
  const isInside = findAll(bytes, "ftyp", 12).some((at) => FILM_BRAND.test(readLatin1(bytes, at, 12)));
  return isInside || (isHeif(bytes) && hasMovieBox(bytes));
}

const isHeif = (bytes: Uint8Array): boolean => readLatin1(bytes, 4, 4) === "ftyp";

/** A HEIF file may have tracks beside its picture. */
function hasMovieBox(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length;) {
    const length = view.getUint32(at);
    if (readLatin1(bytes, at + 4, 4) === "moov") return true;
    if (length < 8) return false;
    at += length;
  }
  return false;
}

const PREVIEW_TYPES = new Set([0x01_00_01, 0x01_00_02]);

function hasOtherPicture(bytes: Uint8Array, groups: object): boolean {
  if (readLatin1(bytes, 0, 3) !== "\xff\xd8\xff") return false;
  const [, ...others] = (groups as PictureIndex).mpf?.Images ?? [];
  const listed = others.filter(({ ImageType }) => !PREVIEW_TYPES.has(ImageType.value));
  if (listed.some(({ ImageOffset }) => !isBrightnessMap(bytes, ImageOffset.value))) return true;
  // Without an index, another picture begins where the first ends.
  return (
    others.length === 0 &&
    findAll(bytes, "\xff\xd9\xff\xd8\xff", 0).some((at) => !isBrightnessMap(bytes, at + 2))
  );
}

const MAX_JPEG_HEAD_BYTES = 64 * 1024;
const BRIGHTNESS_MAP = /hdrgm:|HDRGainMap|urn:iso:std:iso:ts:21496/;

const isBrightnessMap = (bytes: Uint8Array, at: number): boolean =>
  BRIGHTNESS_MAP.test(readLatin1(bytes, at, MAX_JPEG_HEAD_BYTES));

/** Finds all places of a text. */
function findAll(bytes: Uint8Array, text: string, from: number): number[] {
  const found: number[] = [];
  const codes = Array.from(text, (character) => character.charCodeAt(0));
  const [first = 0] = codes;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (codes.every((code, index) => bytes[at + index] === code)) found.push(at);
  return found;
}

/** Not `TextDecoder`, whose Latin-1 is windows-1252. */
const readLatin1 = (bytes: Uint8Array, at: number, length: number): string =>
  Array.from(bytes.subarray(at, at + length), (byte) => String.fromCharCode(byte)).join("");
