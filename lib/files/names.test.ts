import { describe, expect, it } from "vitest";
import { cleanFilename } from "./names.ts";

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
