import { Document, Font, Page, StyleSheet, Text, View } from "@react-pdf/renderer";
import { createElement as h, type ReactElement } from "react";
import type { CaseFileSection } from "./case-file-document.ts";
import { measureText } from "./case-file-length.ts";
import { fontFamilies, hasLeftOutCharacters, job, RIGHT_TO_LEFT, setTexts } from "./typeset-job.ts";

if (job.kind !== "case") throw new Error(`a job of the kind ${job.kind} has no case file`);
const { colors } = job;
const shown = setTexts(job.content);

/** The language is written from right to left; texts in others run as they do anywhere. */
const isRightToLeft = shown.locale === "ar";
const rowDirection = isRightToLeft ? "row-reverse" : "row";

// Only what can't be a word is broken inside, such as a long address.
const LONGEST_WORD = 60;
Font.registerHyphenationCallback((word) => (word.length > LONGEST_WORD ? Array.from(word) : [word]));

const MARGIN = 48;

const styles = StyleSheet.create({
  page: { fontFamily: fontFamilies, fontSize: 9.5, color: colors.ink, padding: MARGIN, paddingBottom: 64 },
  title: { fontSize: 20, fontWeight: 600, lineHeight: 1.25 },
  lead: { fontSize: 9.5, color: colors.muted, lineHeight: 1.4 },
  heading: {
    fontSize: 13,
    fontWeight: 600,
    lineHeight: 1.3,
    marginTop: 18,
    marginBottom: 6,
    paddingTop: 8,
    borderTop: `0.75pt solid ${colors.edge}`,
  },
  fact: { flexDirection: rowDirection, paddingVertical: 1.5 },
  factName: { width: 130, fontSize: 9.5, color: colors.muted, lineHeight: 1.4 },
  factValue: { flex: 1, fontSize: 9.5, lineHeight: 1.4 },
  about: { fontSize: 8, color: colors.muted, lineHeight: 1.3, marginTop: 9 },
  text: { fontSize: 9.5, lineHeight: 1.45 },
  footer: { position: "absolute", bottom: 30, fontSize: 7.5, color: colors.muted },
});

type Style = (typeof styles)[keyof typeof styles];

/** A text runs, and is aligned, in the direction of its first letter; a name beside a value in that of the page. */
const text = (style: Style, content: string, key?: number): ReactElement =>
  h(Text, { key, style: [style, RIGHT_TO_LEFT.test(content) ? RIGHT : {}] }, content);

const RIGHT = { direction: "rtl", textAlign: "right" } as const;
const START = isRightToLeft ? ({ textAlign: "right" } as const) : {};

const fact = ([name, value]: CaseFileSection["facts"][number], index: number): ReactElement =>
  h(
    View,
    { key: `fact ${index}`, style: styles.fact },
    text(styles.factName, name),
    text({ ...styles.factValue, ...START }, value),
  );

/** A part of the file, and how much room it takes, as `measureText` says. */
type Block = { element: ReactElement; room: number };

const listBlocks = ({ heading, facts, texts }: CaseFileSection, section: number): Block[] => [
  {
    element: h(
      View,
      { key: `section ${section}`, minPresenceAhead: 60 },
      text(styles.heading, heading),
      facts.map(fact),
    ),
    room: facts.reduce((sum, [, value]) => sum + measureText(value), 0),
  },
  ...texts.map(({ about, text: content }, index) => ({
    element: h(
      View,
      { key: `text ${section} ${index}`, minPresenceAhead: 12 },
      about && text({ ...styles.about, ...START }, about),
      text({ ...styles.text, ...(about ? {} : styles.lead) }, content),
    ),
    room: measureText(content),
  })),
];

/**
 * The time to set a run of pages grows with the square of its blocks, so that a long file has several runs, each of
 * which begins on a new page.
 */
const MAX_BLOCKS_IN_RUN = 80;
const MAX_ROOM_IN_RUN = 60_000;

function splitIntoRuns(blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = [];
  let room = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    const run = runs.at(-1);
    if (!run || run.length >= MAX_BLOCKS_IN_RUN || room + block.room > MAX_ROOM_IN_RUN) runs.push([block]);
    else run.push(block);
    room = (runs.at(-1) === run ? room : 0) + block.room;
  }
  return runs;
}

/** The width of the page's number, which stands at the other side of the foot. */
const NUMBER_WIDTH = 90;
const endSide = isRightToLeft ? "left" : "right";

const footer = [
  h(
    Text,
    {
      key: "reader",
      fixed: true,
      style: [
        styles.footer,
        {
          left: MARGIN,
          right: MARGIN,
          [endSide]: MARGIN + NUMBER_WIDTH,
          maxLines: 1,
          textOverflow: "ellipsis",
        },
        isRightToLeft ? RIGHT : {},
      ],
    },
    shown.foot,
  ),
  h(Text, {
    key: "number",
    fixed: true,
    style: [
      styles.footer,
      { left: MARGIN, right: MARGIN, textAlign: endSide },
      isRightToLeft ? { direction: "rtl" } : {},
    ],
    render: ({ pageNumber, totalPages }) =>
      shown.pageNumber.replace("{page}", String(pageNumber)).replace("{pages}", String(totalPages)),
  }),
];

const lead = h(
  View,
  { key: "lead" },
  text(styles.title, shown.title),
  shown.lead.map((line, index) => text({ ...styles.lead, ...START }, line, index)),
);

const runs = splitIntoRuns(shown.sections.flatMap(listBlocks));

/** An incident's case file. */
export const document = h(
  Document,
  { title: shown.title, creator: "Heed", producer: "Heed", language: shown.locale },
  runs.map((run, index) =>
    h(
      Page,
      { key: index, size: "A4", style: styles.page },
      index === 0 && lead,
      run.map(({ element }) => element),
      index === runs.length - 1 &&
        hasLeftOutCharacters() &&
        text({ ...styles.about, ...START }, shown.missingSigns),
      footer,
    ),
  ),
);
