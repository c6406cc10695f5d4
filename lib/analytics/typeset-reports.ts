import { Document, Font, Link, Page, StyleSheet, Text, View } from "@react-pdf/renderer";
import { createElement as h, type ReactElement } from "react";
import type { AnalyticsExportDocument, ExportDocumentReportRow } from "./report.ts";
import { fontFamilies, hasLeftOutCharacters, job, RIGHT_TO_LEFT, setTexts } from "./typeset-job.ts";

if (job.kind !== "reports") throw new Error(`a job of the kind ${job.kind} has no list of reports`);
const { colors } = job;
const { report, rows: unsetRows } = job.content;
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
    fontFamily: fontFamilies,
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
  if (hasLeftOutCharacters())
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
/** An organization's reports. */
export const document = h(
  Document,
  { title: `${shown.title}: ${shown.organization}`, creator: "Heed", producer: "Heed", language: "en" },
  overview,
  starts.map(listPage),
);
