/**
 * What a process that typesets a PDF has before it begins: its job, and the fonts of the job's texts. Each such process
 * sets one document, so that both are values of this module.
 */
import { once } from "node:events";
import { createRequire } from "node:module";
import os from "node:os";
import { Font } from "@react-pdf/renderer";
import { normalizeNfc } from "../design/unicode.ts";
import type { CaseFileDocument } from "./case-file-document.ts";
import type { AnalyticsExportDocument, ExportDocumentReportRow } from "./report.ts";

/** The message that starts the work. `colors`: of the light theme, by name. */
export type PdfTypesettingJob = { colors: Record<string, string> } & (
  | {
      kind: "reports";
      content: { report: AnalyticsExportDocument; rows: readonly ExportDocumentReportRow[] };
    }
  | { kind: "case"; content: CaseFileDocument }
);

try {
  os.setPriority(0, 5);
} catch {
  // Not allowed everywhere; the typesetting then competes on equal terms.
}

// Ends together with the server, since nothing waits for the result then.
process.once("disconnect", () => process.exit());
export const [job] = (await once(process, "message")) as [PdfTypesettingJob];
const require = createRequire(import.meta.url);

// Each font comes in one file per script; a character is set in the first file, in this order, that has it. Arabic uses
// Vazirmatn, whose letters include their dots: Noto Sans Arabic adds dots as separate marks, which the PDF would
// misplace.
const SUBSETS: Record<string, readonly string[]> = {
  "noto-sans": [
    "latin",
    "latin-ext",
    "greek",
    "greek-ext",
    "cyrillic",
    "cyrillic-ext",
    "vietnamese",
    "devanagari",
  ],
  "noto-sans-hebrew": ["hebrew"],
  vazirmatn: ["arabic"],
  "noto-emoji": ["[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]", "[10]"],
};

/** One file of a font, in two weights, and the code points that it is meant for. */
type FontFile = { family: string; folder: string; ranges: [first: number, last: number][] };
const FONT_FILES: FontFile[] = Object.entries(SUBSETS).flatMap(([font, subsets]) => {
  const ranges = require(`@fontsource/${font}/unicode.json`) as Record<string, string>;
  return subsets.map((subset) => ({
    family: `${font}-${subset.replaceAll(/[[\]]/g, "")}`,
    folder: `@fontsource/${font}/files`,
    ranges: parseRanges(ranges[subset] ?? ""),
  }));
});
const SIGN = "\uFFFD";
const SIGNS_IN_A_ROW = /\uFFFD(?:\s*\uFFFD)+/gu;
let leftOut = false;

/** Returns whether a sign stands in a text for characters that no font has. */
export const hasLeftOutCharacters = (): boolean => leftOut;

/** Parses ranges such as "U+0000-00FF,U+0131". */
function parseRanges(list: string): FontFile["ranges"] {
  return list.split(",").map((range) => {
    const [first = "", last = first] = range.trim().slice(2).split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

const findFontFile = (character: string): FontFile | undefined => {
  const code = character.codePointAt(0) ?? 0;
  return FONT_FILES.find(({ ranges }) => ranges.some(([first, last]) => code >= first && code <= last));
};

type LoadedFont = NonNullable<ReturnType<typeof Font.getFont>["data"]>;

/**
 * All font files declare the same font name, and a PDF identifies fonts by name, so each change of script would embed
 * the font again. Each file is therefore registered under its own name.
 */
async function loadFont({ family, folder }: FontFile): Promise<LoadedFont> {
  for (const fontWeight of [600, 400]) {
    const src = require.resolve(`${folder}/${family}-${fontWeight}-normal.woff`);
    Font.register({ family, src, fontWeight });
    await Font.load({ fontFamily: family, fontWeight });
    const { data } = Font.getFont({ fontFamily: family, fontWeight });
    if (data) Object.defineProperty(data, "postscriptName", { value: `${family}-${fontWeight}` });
  }
  const { data } = Font.getFont({ fontFamily: family, fontWeight: 400 });
  if (!data) throw new Error(`the font ${family} wasn't loaded`);
  return data;
}

const used = new Set([...new Set(normalizeNfc(JSON.stringify(job.content)))].map(findFontFile));
const needed = FONT_FILES.filter((file, index) => index === 0 || used.has(file));
const fonts: LoadedFont[] = [];
for (const file of needed) fonts.push(await loadFont(file));

/** The names of the fonts, in the order in which they are tried for a character. */
export const fontFamilies: string[] = needed.map(({ family }) => family);

const shownCharacters = new Map<string, boolean>();

function canShow(character: string): boolean {
  const known = shownCharacters.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const isShown = /\s/u.test(character) || fonts.some((font) => font.hasGlyphForCodePoint(code));
  shownCharacters.set(character, isShown);
  return isShown;
}

/** Returns text that the fonts can show: an unsupported character becomes a placeholder, and a note explains it. */
function settable(text: string): string {
  const signed = splitEmoji(normalizeNfc(text)).map((character) => {
    if (canShow(character)) return character;
    leftOut = true;
    return SIGN;
  });
  return signed.join("").replace(SIGNS_IN_A_ROW, SIGN);
}

const JOINERS = new Set(["\u200d", "\ufe0f"]);

/**
 * Returns the characters of a text without the joiners, variation selectors and skin tones that follow an emoji: the
 * parts of an emoji sequence may be in different files of the font, so each part is shown by itself.
 */
function splitEmoji(text: string): string[] {
  const characters: string[] = [];
  for (const character of text) {
    const joins = JOINERS.has(character) || /\p{Emoji_Modifier}/u.test(character);
    if (!joins || !/\p{Extended_Pictographic}/u.test(characters.at(-1) ?? "")) characters.push(character);
  }
  return characters;
}

/** Returns the value with every text in it made settable. */
export function setTexts<Value>(value: Value): Value {
  const set = (part: unknown): unknown => {
    if (typeof part === "string") return settable(part);
    if (Array.isArray(part)) return part.map(set);
    if (part && typeof part === "object")
      return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, set(one)]));
    return part;
  };
  return set(value) as Value;
}

/** Matches a text whose first letter is Arabic or Hebrew. */
export const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u;
