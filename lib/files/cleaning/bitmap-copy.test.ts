import { describe, expect, it } from "vitest";
import { createBitmap } from "#e2e/support/recordings.ts";
import { stripBitmapMetadata } from "./bitmap-copy.ts";

const LINKED = 0x4c494e4b;

describe("a bitmap", () => {
  it.each([
    ["of Paint", createBitmap()],
    ["of OS/2", createBitmap({ headerBytes: 12 })],
    ["with a palette", createBitmap({ depth: 8 })],
    ["with masks", createBitmap({ depth: 32, compression: 3 })],
    ["with runs", createBitmap({ depth: 8, compression: 1 })],
  ])("%s with nothing but its picture stays as it is", (_, bytes) => {
    expect(stripBitmapMetadata(bytes)).toEqual({ copy: bytes, names: [] });
  });

  it("loses its color profile, which may be the path of a file", () => {
    const bytes = createBitmap({ headerBytes: 124, colorSpace: LINKED, behind: "/home/lantern/screen.icc" });
    const { copy, names } = stripBitmapMetadata(bytes);
    expect(names).toEqual(["Author"]);
    expect(copy.includes("lantern")).toBe(false);
    expect(copy.readUInt32LE(14)).toBe(108);
    expect(copy.readUInt32LE(2)).toBe(copy.length);
    expect(copy.subarray(copy.readUInt32LE(10))).toEqual(createBitmap().subarray(54));
    expect(stripBitmapMetadata(copy)).toEqual({ copy, names: [] });
  });

  it.each([
    ["behind its pixels", createBitmap({ behind: "Lantern" })],
    ["before its pixels", createBitmap({ before: "Lantern" })],
    ["between its rows", createBitmap({ padding: "L!" })],
  ])("loses what is %s", (_, bytes) => {
    expect(stripBitmapMetadata(bytes).copy).toEqual(createBitmap());
  });

  it.each([
    ["breaks off", createBitmap().subarray(0, -1)],
    ["has an unknown header", createBitmap().fill(0xff, 14, 15)],
    ["holds a JPEG", createBitmap({ compression: 4 })],
    ["is none", Buffer.from("BM, grey, in front of the hall, at ten past nine, I think.")],
  ])("is an error where it %s", (_, bytes) => expect(() => stripBitmapMetadata(bytes)).toThrow("bitmap"));
});
