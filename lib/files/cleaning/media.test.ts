import { describe, expect, it } from "vitest";
import { androidFilm, bareFilm, iphoneFilm, mp3, wav, webm } from "#e2e/support/recordings.ts";
import { namesInMedia } from "./media.ts";
import { revealedBy } from "./reveals.ts";

describe("a sound or a film", () => {
  it.each([
    ["a film of an Android phone", androidFilm, ["place", "time"]],
    ["a film of an iPhone", iphoneFilm, ["place", "device", "time", "author"]],
    ["a film of which nothing is told", bareFilm, []],
    ["a recording of a screen", webm, ["device", "time"]],
    ["a sound with texts", () => wav({ IART: "Maya Castillo", ICRD: "2026-03-01" }), ["time", "author"]],
    ["a sound with the name of its program", () => wav({ ISFT: "Lantern" }), ["device"]],
    ["a sound of which nothing is told", wav, []],
    ["an MP3", () => mp3({ TPE1: "Maya Castillo", TSSE: "Lantern" }), ["device", "author"]],
    ["an MP3 with a title", () => mp3({ TIT2: "What I heard" }), []],
  ])("tells of %s", async (_, make, reveals) => {
    expect(revealedBy(await namesInMedia(make()))).toEqual(reveals);
  });

  it.each([
    ["half a film", () => iphoneFilm().subarray(0, 400)],
    ["half a sound", () => wav({ IART: "Maya Castillo" }).subarray(0, 60)],
    ["what is neither", () => Buffer.from("What I saw.")],
  ])("is an error where it is %s", async (_, make) => {
    await expect(namesInMedia(make())).rejects.toThrow("can't be read to its end");
  });

  it("tells of the XMP in it", async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description photoshop:City="Lanterntown"/></x:xmpmeta>`;
    const head = Buffer.from("00000000757569640000000000000000be7acfcb97a942e8", "hex");
    head.writeUInt32BE(head.length + xmp.length);
    const bytes = Buffer.concat([bareFilm(), head, Buffer.from(xmp)]);
    expect(revealedBy(await namesInMedia(bytes))).toEqual(["place"]);
  });
});
