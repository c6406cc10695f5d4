import { expect, test } from "vitest";
import { getFileFamily, hasUnsupportedExtension, hasUnsupportedSignature } from "./file-kinds.ts";

const bytes = (...values: (number | string)[]) =>
  Uint8Array.from(
    values.flatMap((value) =>
      typeof value === "string" ? [...value].map((letter) => letter.charCodeAt(0)) : [value],
    ),
  );

test("programs and archives are recognized by their extension, in any letter case", () => {
  expect(
    ["evil.exe", "EVIL.EXE", "photo.jpg.zip", "drawing.svg"].filter(hasUnsupportedExtension),
  ).toHaveLength(4);
  expect(
    ["photo.jpg", "chat.log", "exe", "notes", "list.csv", "letter.docx"].filter(hasUnsupportedExtension),
  ).toEqual([]);
});

test.each([
  ["a program for Windows", bytes("MZ", 0x90, 0, 3, 0, 0, 0), true],
  ["a program for Linux", bytes(0x7f, "ELF", 2, 1, 1, 0), true],
  ["a gzip archive", bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), true],
  ["text that begins like a program", bytes("MZ was th"), false],
  ["a picture", bytes(0x89, "PNG", 13, 10, 26, 10), false],
  ["nothing", bytes(), false],
])("%s is recognized by its first bytes", (_, start, wrong) => {
  expect(hasUnsupportedSignature(start)).toBe(wrong);
});

test("kinds have plain names", () => {
  expect(
    ["image/png", "audio/mp4", "video/quicktime", "text/plain", "application/pdf"].map(getFileFamily),
  ).toEqual(["picture", "sound", "film", "text", "document"]);
});
