import { expect, test } from "vitest";
import { findUnsupportedFileWayOut, getFileFamily } from "./file-kinds.ts";

const makeFile = (name: string, ...values: (number | string)[]) =>
  new File(
    [
      Uint8Array.from(
        values.flatMap((value) => (typeof value === "string" ? [...Buffer.from(value)] : [value])),
      ),
    ],
    name,
  );

test.each([
  ["evil.exe", "other"],
  ["EVIL.EXE", "other"],
  ["photo.jpg.zip", "archive"],
  ["drawing.svg", "picture"],
  ["talk.wma", "sound"],
  ["hallway.avi", "video"],
  ["notes.pages", "document"],
] as const)("%s is unsupported by its extension, and can be sent as %s", async (name, wayOut) => {
  expect(await findUnsupportedFileWayOut(makeFile(name, "text"))).toBe(wayOut);
});

test.each(["photo.jpg", "chat.log", "exe", "notes", "list.csv", "letter.docx"])(
  "%s may be supported",
  async (name) => {
    expect(await findUnsupportedFileWayOut(makeFile(name, "text"))).toBeUndefined();
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
  expect(await findUnsupportedFileWayOut(file)).toBe(isUnsupported ? "other" : undefined);
});

test("kinds have plain names", () => {
  expect(
    ["image/png", "audio/mp4", "video/quicktime", "text/plain", "application/pdf"].map(getFileFamily),
  ).toEqual(["picture", "sound", "film", "text", "document"]);
});
