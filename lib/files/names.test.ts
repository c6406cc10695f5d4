import { describe, expect, it, test } from "vitest";
import { cleanFilename, withExtension } from "./names.ts";

describe("cleanFilename", () => {
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
  it.each(cases)("%j becomes %j", (name, clean) => expect(cleanFilename(name)).toBe(clean));

  it("cuts a long name to 255 characters and keeps its extension", () => {
    const clean = cleanFilename(`${"ä".repeat(5000)}.pdf`);
    expect([...clean]).toHaveLength(255);
    expect(clean.endsWith("ä.pdf")).toBe(true);
  });

  it("survives half a surrogate pair", () => expect(cleanFilename("a\ud83c.txt")).toBe("a\ufffd.txt"));
});

test.each([
  ["IMG_5195.HEIC", "IMG_5195.jpg"],
  ["photo", "photo.jpg"],
  ["a.b.heif", "a.b.jpg"],
  ["after 3. of March", "after 3. of March.jpg"],
  [`${"n".repeat(250)}.heic`, `${"n".repeat(250)}.jpg`],
  ["n".repeat(255), `${"n".repeat(251)}.jpg`],
])("%s becomes a JPEG named %s", (name, named) => {
  expect(withExtension(name, "jpg")).toBe(named);
});
