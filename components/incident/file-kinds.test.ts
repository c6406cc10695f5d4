import { expect, test } from "vitest";
import { getFileFamily, isFileUnsupported } from "./file-kinds.ts";

const makeFile = (name: string, ...values: (number | string)[]) =>
  new File(
    [
      Uint8Array.from(
        values.flatMap((value) => (typeof value === "string" ? [...Buffer.from(value)] : [value])),
      ),
    ],
    name,
  );

test.each(["evil.exe", "EVIL.EXE", "photo.jpg.zip", "drawing.svg"])(
  "%s is unsupported by its extension",
  async (name) => {
    expect(await isFileUnsupported(makeFile(name, "text"))).toBe(true);
  },
);

test.each(["photo.jpg", "chat.log", "exe", "notes", "list.csv", "letter.docx"])(
  "%s may be supported",
  async (name) => {
    expect(await isFileUnsupported(makeFile(name, "text"))).toBe(false);
  },
);

test.each([
  ["a program for Windows", makeFile("notes", "MZ", 0x90, 0, 3, 0, 0, 0), true],
  ["a program for Linux", makeFile("notes", 0x7f, "ELF", 2, 1, 1, 0), true],
  ["a gzip archive", makeFile("notes", 0x1f, 0x8b, 8, 0, 0, 0, 0, 0), true],
  ["text that begins like a program", makeFile("notes", "MZ was there"), false],
  ["a picture", makeFile("notes", 0x89, "PNG", 13, 10, 26, 10), false],
  ["nothing", makeFile("notes"), false],
])("%s is recognized by its first bytes", async (_, file, isUnsupported) => {
  expect(await isFileUnsupported(file)).toBe(isUnsupported);
});

test("kinds have plain names", () => {
  expect(
    ["image/png", "audio/mp4", "video/quicktime", "text/plain", "application/pdf"].map(getFileFamily),
  ).toEqual(["picture", "sound", "film", "text", "document"]);
});
