import ExifReader from "exifreader";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import {
  createBareFilm,
  createBox,
  createFilmWithTracks,
  createHeic,
  createMotionHeic,
  createMultiPicture,
} from "#e2e/support/recordings.ts";
import { listLostParts } from "./lost-parts.ts";

const jpeg = (background = "#a33") =>
  sharp({ create: { width: 24, height: 16, channels: 3, background } })
    .jpeg()
    .toBuffer();
const withSegment = (bytes: Buffer, text: string) =>
  Buffer.concat([
    bytes.subarray(0, 2),
    Buffer.from([0xff, 0xe1, 0, text.length + 2]),
    Buffer.from(text),
    bytes.subarray(2),
  ]);
const listLost = async (bytes: Buffer) =>
  listLostParts(bytes, await ExifReader.load(bytes, { expanded: true, async: true }).catch(() => ({})));

const [OTHER_EYE, PREVIEW, UNDEFINED] = [0x020002, 0x010002, 0];

describe("a copy with the main picture only", () => {
  it.each<[string, () => Buffer | Promise<Buffer>, string[]]>([
    ["a plain picture", jpeg, []],
    ["a plain HEIC", createHeic, []],
    ["a film behind a JPEG", async () => Buffer.concat([await jpeg(), createBareFilm()]), ["video"]],
    [
      "a film behind the trailer of a phone",
      async () =>
        Buffer.concat([await jpeg(), Buffer.from("MotionPhoto_Data"), createFilmWithTracks("isom", "vide")]),
      ["video"],
    ],
    ["a film in a box of a HEIC", createMotionHeic, ["video"]],
    [
      "tracks beside the picture of a HEIC",
      () => Buffer.concat([createHeic(), createBox("moov", createBox("trak"))]),
      ["video"],
    ],
    [
      "the picture of the other eye",
      async () => createMultiPicture(await jpeg(), [[OTHER_EYE, await jpeg("#3a3")]]),
      ["pictures"],
    ],
    [
      "a second picture without an index",
      async () => Buffer.concat([await jpeg(), await jpeg()]),
      ["pictures"],
    ],
    [
      "a second picture and a film",
      async () => Buffer.concat([await jpeg(), await jpeg(), createBareFilm()]),
      ["video", "pictures"],
    ],
    ["a preview", async () => createMultiPicture(await jpeg(), [[PREVIEW, await jpeg()]]), []],
    [
      "a map of brightness",
      async () =>
        createMultiPicture(await jpeg(), [[UNDEFINED, withSegment(await jpeg(), 'hdrgm:Version="1.0"')]]),
      [],
    ],
    [
      "a map of brightness without an index",
      async () => Buffer.concat([await jpeg(), withSegment(await jpeg(), "HDRGainMap")]),
      [],
    ],
  ])("loses of %s", async (_, make, lost) => expect(await listLost(await make())).toEqual(lost));
});
