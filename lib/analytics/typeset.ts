/**
 * Typesets a report as a PDF in a separate process: the server starts it by its path, so the bundler never sees it. It
 * runs at a lower priority than the process that answers requests.
 */
import { once } from "node:events";
import { createRequire, flushCompileCache } from "node:module";
import os from "node:os";
import { Document, Font, Link, Page, StyleSheet, Text, View, renderToBuffer } from "@react-pdf/renderer";
import { createElement as h, type ReactElement } from "react";
import { normalizeNfc } from "../design/unicode.ts";
import type { AnalyticsExportDocument, ExportDocumentReportRow } from "./report.ts";

/** The message that starts the work. `colors`: of the light theme, by name. */
export type PdfTypesettingJob = {
  report: AnalyticsExportDocument;
  rows: readonly ExportDocumentReportRow[];
  colors: Record<string, string>;
};

try {
  os.setPriority(0, 5);
} catch {
  // Not allowed everywhere; the typesetting then competes on equal terms.
}

// Ends together with the server, since nothing waits for the result then.
process.once("disconnect", () => process.exit());
const [{ report, rows: unsetRows, colors }] = (await once(process, "message")) as [PdfTypesettingJob];
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

const used = new Set([...new Set(normalizeNfc(JSON.stringify([report, unsetRows])))].map(findFontFile));
const needed = FONT_FILES.filter((file, index) => index === 0 || used.has(file));
const fonts: LoadedFont[] = [];
for (const file of needed) fonts.push(await loadFont(file));

const canShow = (character: string): boolean =>
  /\s/u.test(character) || fonts.some((font) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0));

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
function setTexts<Value>(value: Value): Value {
  const set = (part: unknown): unknown => {
    if (typeof part === "string") return settable(part);
    if (Array.isArray(part)) return part.map(set);
    if (part && typeof part === "object")
      return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, set(one)]));
    return part;
  };
  return set(value) as Value;
}

const shown = setTexts(report);
const rows = setTexts(unsetRows);
// Words aren't broken unless they are too long for a column.
const LONGEST_WORD = 14;
Font.registerHyphenationCallback((word) => (word.length > LONGEST_WORD ? Array.from(word) : [word]));

const MARGIN = 40;
const ROW = 30;
const ROWS_A_PAGE = 22;

const styles = StyleSheet.create({
  page: {
    fontFamily: needed.map(({ family }) => family),
    fontSize: 9,
    color: colors.ink,
    padding: MARGIN,
    paddingBottom: 56,
  },
  // A line height on the page itself makes page numbers disappear. A line height is computed from the font size of the
  // same style, so the size is repeated here.
  body: { fontSize: 9, lineHeight: 1.35 },
  confidential: { fontSize: 8, color: colors.danger, fontWeight: 600 },
  title: { fontSize: 22, fontWeight: 600, lineHeight: 1.2, marginTop: 6 },
  organization: { fontSize: 13, color: colors.muted, lineHeight: 1.3 },
  scope: {
    flexDirection: "row",
    flexWrap: "wrap",
    marginTop: 12,
    paddingVertical: 6,
    borderTop: `0.75pt solid ${colors.line}`,
    borderBottom: `0.75pt solid ${colors.line}`,
  },
  scopeItem: { width: "50%", flexDirection: "row", paddingVertical: 1.5 },
  scopeName: { width: 52, color: colors.muted },
  scopeValue: { flex: 1, paddingRight: 8 },
  tiles: { flexDirection: "row", flexWrap: "wrap", marginTop: 14, gap: 8 },
  tile: {
    width: 122.5,
    backgroundColor: colors.sunken,
    borderRadius: 4,
    paddingVertical: 8,
    paddingHorizontal: 10,
  },
  tileName: { fontSize: 8, color: colors.muted },
  tileValue: { fontSize: 16, fontWeight: 600, lineHeight: 1.25 },
  listHeading: { fontSize: 12, fontWeight: 600, marginBottom: 8 },
  heading: { fontSize: 12, fontWeight: 600, marginTop: 18, marginBottom: 4 },
  share: { flexDirection: "row", alignItems: "center", paddingVertical: 2 },
  shareName: { width: 170, paddingRight: 8, maxLines: 2, textOverflow: "ellipsis" },
  shareBar: { flex: 1, height: 8, backgroundColor: colors.sunken, borderRadius: 2 },
  shareCount: { width: 52, textAlign: "right" },
  sharePercent: { width: 52, textAlign: "right", color: colors.muted },
  head: {
    flexDirection: "row",
    borderBottom: `1pt solid ${colors.edge}`,
    paddingBottom: 3,
    fontSize: 8,
    fontWeight: 600,
    color: colors.muted,
  },
  row: {
    flexDirection: "row",
    height: ROW,
    paddingTop: 4,
    borderBottom: `0.5pt solid ${colors.line}`,
    fontSize: 8,
    lineHeight: 1.25,
  },
  link: { color: colors.accent, textDecoration: "none" },
  note: { fontSize: 8, color: colors.muted, marginTop: 8 },
  footer: {
    position: "absolute",
    left: MARGIN,
    right: MARGIN,
    bottom: 28,
    fontSize: 7.5,
    color: colors.muted,
  },
});

const COLUMNS: [heading: string, width: number, name: keyof ExportDocumentReportRow][] = [
  ["Created", 62, "created"],
  ["Title", 176, "title"],
  ["Event", 90, "event"],
  ["Status", 63, "status"],
  ["Severity", 46, "severity"],
  ["Assigned to", 78, "assignedTo"],
];

type Style = (typeof styles)[keyof typeof styles];
const text = (style: Style, content: string): ReactElement =>
  h(Text, { style: [style, chooseDirection(content)] }, content);

/** Matches a text whose first letter is Arabic or Hebrew. */
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A text runs in the direction of its first letter, but is left-aligned like the English text around it. */
function chooseDirection(content: string): { direction?: "rtl"; textAlign?: "left" } {
  return RIGHT_TO_LEFT.test(content) ? { direction: "rtl", textAlign: "left" } : {};
}

const scope = h(
  View,
  { style: styles.scope },
  shown.scope.map(([name, value]) =>
    h(
      View,
      { key: name, style: styles.scopeItem },
      text(styles.scopeName, name),
      text(styles.scopeValue, value),
    ),
  ),
);

const tiles = h(
  View,
  { style: styles.tiles },
  shown.metrics.map(([name, value]) =>
    h(View, { key: name, style: styles.tile }, text(styles.tileName, name), text(styles.tileValue, value)),
  ),
);

const LONGEST_TABLE = 20;

type ShareTable = AnalyticsExportDocument["tables"][number];
type Share = ShareTable["rows"][number];

function table({ title, rows: all }: ShareTable): ReactElement {
  const shares = all.slice(0, LONGEST_TABLE);
  const others = all.slice(LONGEST_TABLE);
  const sum = (name: "count" | "percentage") => others.reduce((total, row) => total + row[name], 0);
  if (others.length > 0)
    shares.push({ name: `${others.length} more`, count: sum("count"), percentage: sum("percentage") });
  return h(
    View,
    { key: title },
    h(View, { wrap: false }, text(styles.heading, title), shares.slice(0, 1).map(share)),
    shares.slice(1).map(share),
  );
}

const share = ({ name, count, percentage }: Share, index: number): ReactElement =>
  h(
    View,
    { key: index, style: styles.share, wrap: false },
    text(styles.shareName, name),
    h(
      View,
      { style: styles.shareBar },
      count > 0 &&
        h(View, {
          style: {
            width: `${Math.max(1, percentage)}%`,
            height: 8,
            backgroundColor: colors["chart-bar"],
            borderRadius: 2,
          },
        }),
    ),
    text(styles.shareCount, String(count)),
    text(styles.sharePercent, `${percentage.toFixed(1)} %`),
  );

const footer = [
  h(
    Text,
    { key: "left", style: styles.footer, fixed: true },
    `${shown.confidential} · generated ${shown.generated}`,
  ),
  h(Text, {
    key: "right",
    style: [styles.footer, { textAlign: "right" }],
    fixed: true,
    render: ({ pageNumber, totalPages }) => `Page ${pageNumber} of ${totalPages}`,
  }),
];

const overview = h(
  Page,
  { size: "A4", style: styles.page },
  h(
    View,
    { style: styles.body },
    text(styles.confidential, shown.confidential),
    text(styles.title, shown.title),
    text(styles.organization, shown.organization),
    scope,
    tiles,
    shown.tables.filter(({ rows: shares }) => shares.length > 0).map(table),
    notes().map((note) => h(Text, { key: note, style: styles.note }, note)),
  ),
  footer,
);

function notes(): string[] {
  const all: string[] = [];
  if (report.total > rows.length)
    all.push(
      `The list shows the newest ${rows.length} of ${report.total} reports; the CSV export has all of them.`,
    );
  if (leftOut)
    all.push(
      "A � stands where the writing or sign isn't in this document's font; the CSV export has every text in full.",
    );
  return all;
}

const CELL = { maxLines: 2, textOverflow: "ellipsis" } as const;

function cell(row: ExportDocumentReportRow, [, width, name]: (typeof COLUMNS)[number]): ReactElement {
  const place = { width, paddingRight: 6 };
  const direction = chooseDirection(row[name]);
  if (name !== "title") return h(Text, { key: name, style: { ...place, ...CELL, ...direction } }, row[name]);
  // The text has its own element, since a link inside a text doesn't keep its direction.
  const title = h(Text, { style: { ...styles.link, ...CELL, ...direction } }, row.title);
  return h(Link, { key: name, src: row.url, style: { ...place, textDecoration: "none" } }, title);
}

// All rows have the same height, so page breaks are known in advance and nothing is typeset twice.
const listPage = (start: number): ReactElement =>
  h(
    Page,
    { key: start, size: "A4", style: styles.page },
    text(
      styles.listHeading,
      `Reports ${start + 1} to ${Math.min(rows.length, start + ROWS_A_PAGE)}, newest first`,
    ),
    h(
      View,
      { style: styles.head },
      COLUMNS.map(([name, width]) => h(Text, { key: name, style: { width } }, name)),
    ),
    rows.slice(start, start + ROWS_A_PAGE).map((row, index) =>
      h(
        View,
        { key: index, style: styles.row },
        COLUMNS.map((column) => cell(row, column)),
      ),
    ),
    footer,
  );

const starts = Array.from(
  { length: Math.ceil(rows.length / ROWS_A_PAGE) },
  (_, index) => index * ROWS_A_PAGE,
);
const document = h(
  Document,
  { title: `${shown.title}: ${shown.organization}`, creator: "Heed", producer: "Heed", language: "en" },
  overview,
  starts.map(listPage),
);

const pdf = new Uint8Array(await renderToBuffer(document));
// Node keeps compiled code when a process exits, but this one is killed once it has sent the document.
flushCompileCache();
process.send?.(pdf);
