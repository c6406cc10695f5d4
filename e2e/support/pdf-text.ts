import zlib from "node:zlib";

/**
 * Extracts the text of a typeset PDF: one text for each font, with the passages in that font. Enough to search for a
 * word.
 */
export function extractPdfTexts(pdf: Buffer): string[] {
  const streams = inflateStreams(pdf);
  const fonts = streams.filter((stream) => stream.includes("beginbfrange")).map(parseToUnicodeMap);
  const set = streams.filter((stream) => stream.includes(" Tf"));
  const hexCodes = set.flatMap((stream) =>
    [...stream.matchAll(/<([0-9a-f]+)>/gi)].map(([, hex = ""]) => hex),
  );
  const codes = hexCodes.join("").match(/.{4}/g) ?? [];
  return fonts.map((font) => codes.map((code) => font.get(Number.parseInt(code, 16)) ?? "").join(""));
}

function inflateStreams(pdf: Buffer): string[] {
  const text = pdf.toString("latin1");
  return [...text.matchAll(/stream\r?\n/g)].flatMap(({ index, 0: word }) => {
    try {
      return [zlib.inflateSync(pdf.subarray(index + word.length)).toString("latin1")];
    } catch {
      return [];
    }
  });
}

/** Glyph → letters, from a font's ToUnicode map. */
function parseToUnicodeMap(map: string): Map<number, string> {
  const letters = new Map<number, string>();
  for (const [, from = "", , list = ""] of map.matchAll(/<([0-9a-f]+)>\s*<([0-9a-f]+)>\s*\[([^\]]*)\]/gi)) {
    const texts = [...list.matchAll(/<([0-9a-f ]*)>/gi)];
    texts.forEach(([, hex = ""], index) => letters.set(Number.parseInt(from, 16) + index, decodeUtf16(hex)));
  }
  return letters;
}

const decodeUtf16 = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex").swap16().toString("utf16le");
