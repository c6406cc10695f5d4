import { describe, expect, it } from "vitest";
import {
  createAndroidFilm,
  createBareFilm,
  createBox,
  createFilmWithTracks,
  createIphoneFilm,
  createMp3,
  createVoiceMemo,
  createWav,
  createWebm,
} from "#e2e/support/recordings.ts";
import { listMediaMetadataFieldNames } from "./media.ts";
import { listRevealedMetadataCategories } from "./reveals.ts";

describe("a sound or a film", () => {
  it.each<[string, () => Buffer, string[]]>([
    ["a film of an Android phone", createAndroidFilm, ["place", "time"]],
    ["a film of an iPhone", createIphoneFilm, ["place", "device", "time", "author"]],
    ["a film of which nothing is told", createBareFilm, []],
    ["a recording of a screen", createWebm, ["device", "time"]],
    [
      "a sound with texts",
      () => createWav({ IART: "Maya Castillo", ICRD: "2026-03-01" }),
      ["time", "author"],
    ],
    ["a sound with the name of its program", () => createWav({ ISFT: "Lantern" }), ["device"]],
    ["a sound of which nothing is told", createWav, []],
    ["an MP3", () => createMp3({ TPE1: "Maya Castillo", TSSE: "Lantern" }), ["device", "author"]],
    ["an MP3 with a title", () => createMp3({ TIT2: "What I heard" }), ["author"]],
    ["an MP3 with a tag of its own", () => createMp3({ TXXX: "seen\0Maya Castillo" }), ["author"]],
    ["a sound with a comment", () => createWav({ ICMT: "with M. Weber" }), ["author"]],
    ["a voice memo", () => createVoiceMemo("com.apple.VoiceMemos 17"), ["place", "device", "author"]],
    ["a sound with a title", () => createVoiceMemo("Lantern"), ["device", "author"]],
    ["a film with picture and sound", () => createFilmWithTracks("isom", "vide", "soun"), []],
    // Cameras and drones write telemetry into tracks of other kinds.
    ["a film with metadata", () => createFilmWithTracks("isom", "soun", "meta"), ["place", "time"]],
    [
      "a film with the motion of a camera",
      () => createFilmWithTracks("isom", "soun", "camm"),
      ["place", "time"],
    ],
    ["a film with subtitles", () => createFilmWithTracks("isom", "soun", "sbtl"), ["place", "time"]],
    [
      "a film with a box of its camera",
      () => Buffer.concat([createBareFilm(), createBox("uuid", "Lantern")]),
      ["place", "device", "time"],
    ],
  ])("lists the fields of %s", async (_, make, reveals) => {
    expect(listRevealedMetadataCategories(await listMediaMetadataFieldNames(make()))).toEqual(reveals);
  });

  it.each([
    ["half a film", () => createIphoneFilm().subarray(0, 400)],
    ["half a sound", () => createWav({ IART: "Maya Castillo" }).subarray(0, 60)],
    ["what is neither", () => Buffer.from("What I saw.")],
  ])("is an error where it is %s", async (_, make) => {
    await expect(listMediaMetadataFieldNames(make())).rejects.toThrow("can't be read to its end");
  });

  it("lists its XMP fields", async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description photoshop:City="Lanterntown"/></x:xmpmeta>`;
    const head = Buffer.from("00000000757569640000000000000000be7acfcb97a942e8", "hex");
    head.writeUInt32BE(head.length + xmp.length);
    const bytes = Buffer.concat([createBareFilm(), head, Buffer.from(xmp)]);
    expect(listRevealedMetadataCategories(await listMediaMetadataFieldNames(bytes))).toEqual([
      "place",
      "device",
      "time",
    ]);
  });
});
