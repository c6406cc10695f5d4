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
    ["half a film", () => iphoneFilm().subarray(0, 400), []],
    ["what is neither", () => Buffer.from("What I saw."), []],
  ])("tells of %s", async (_, make, reveals) => {
    expect(revealedBy(await namesInMedia(make()))).toEqual(reveals);
  });

  it("tells of the XMP in it", async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description photoshop:City="Lanterntown"/></x:xmpmeta>`;
    expect(revealedBy(await namesInMedia(Buffer.concat([bareFilm(), Buffer.from(xmp)])))).toEqual(["place"]);
  });
});
