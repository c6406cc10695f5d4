import { describe, expect, it, test } from "vitest";
import { sanitizeFilename, toDownloadFilename, replaceExtension } from "./names.ts";
import { listExtensionsOfType } from "./types.ts";

describe("sanitizeFilename", () => {
  const cases: [string, string][] = [
    ["photo of the stage.png", "photo of the stage.png"],
    ["Zoë 会議 🎉.pdf", "Zoë 会議 🎉.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\fakepath\\note.txt", "note.txt"],
    ["a\0b\r\nSet-Cookie: x.png", "abSet-Cookie_ x.png"],
    ["invoice\u202Egnp.exe", "invoicegnp.exe"],
    ["CON", "_CON"],
    ["nul.txt", "_nul.txt"],
    ["console.txt", "console.txt"],
    [".htaccess", "htaccess"],
    ["trailing. . .", "trailing"],
    ["..", "file"],
    ["folder/", "file"],
    ["", "file"],
    ["\u200b\u202e", "file"],
  ];
  it.each(cases)("%j becomes %j", (name, clean) => expect(sanitizeFilename(name)).toBe(clean));

  it("cuts a long name to 255 characters and keeps its extension", () => {
    const clean = sanitizeFilename(`${"ä".repeat(5000)}.pdf`);
    expect([...clean]).toHaveLength(255);
    expect(clean.endsWith("ä.pdf")).toBe(true);
  });

  it("survives half a surrogate pair", () => expect(sanitizeFilename("a\ud83c.txt")).toBe("a\ufffd.txt"));
});

test.each([
  ["IMG_5195.HEIC", "IMG_5195.jpg"],
  ["photo", "photo.jpg"],
  ["a.b.heif", "a.b.jpg"],
  ["after 3. of March", "after 3. of March.jpg"],
  [`${"n".repeat(250)}.heic`, `${"n".repeat(250)}.jpg`],
  ["n".repeat(255), `${"n".repeat(251)}.jpg`],
])("%s becomes a JPEG named %s", (name, named) => {
  expect(replaceExtension(name, "jpg")).toBe(named);
});

test.each([
  ["statement.html", "application/pdf", "statement.html.pdf"],
  ["setup.exe", "image/gif", "setup.exe.gif"],
  ["page.html", "text/plain", "page.html.txt"],
  ["script.js", "text/plain", "script.js.txt"],
  ["notes", "text/plain", "notes.txt"],
  ["Photo.JPEG", "image/jpeg", "Photo.JPEG"],
  ["list.csv", "text/plain", "list.csv"],
  ["talk.m4a", "audio/mp4", "talk.m4a"],
  ["minutes.doc", "application/msword", "minutes.doc"],
  ["Voice 011.m4a", "audio/mp4", "Voice 011.m4a"],
  ["Sound.3ga", "audio/3gpp", "Sound.3ga"],
  ["screen.png", "image/jpeg", "screen.jpg"],
  ["track.gpx", "text/plain", "track.gpx"],
  ["anything.html", "application/unknown", "anything.html"],
  [`${"n".repeat(250)}.html`, "application/pdf", `${"n".repeat(250)}..pdf`],
])("%s of the type %s is saved as %s", (name, type, saved) => {
  expect(toDownloadFilename(name, listExtensionsOfType(type))).toBe(saved);
});
