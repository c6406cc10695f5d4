import { expect, it } from "vitest";
import { buildNumberedAnonymousFilename, readAnonymousFileNumber } from "./neutral-names.ts";

it.each([
  ["image/jpeg", 1, "photo-1.jpg"],
  ["image/heic", 2, "photo-2.heic"],
  ["application/pdf", 3, "document-3.pdf"],
  ["application/vnd.oasis.opendocument.text", 4, "document-4.odt"],
  ["text/plain", 5, "document-5.txt"],
  ["audio/mpeg", 6, "recording-6.mp3"],
  ["video/quicktime", 7, "video-7.mov"],
  ["model/unknown", 8, "file-8"],
])("a file of %s that comes as number %i is %s", (mimetype, number, name) => {
  expect(buildNumberedAnonymousFilename(mimetype, number)).toBe(name);
  expect(readAnonymousFileNumber(name)).toBe(number);
});

it("another name has no number", () => {
  expect(["IMG-20.final.jpg", "Photo 3.jpg", "photo.jpg", "photo-.jpg"].map(readAnonymousFileNumber)).toEqual(
    [0, 0, 0, 0],
  );
});
