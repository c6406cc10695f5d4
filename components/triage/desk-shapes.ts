import * as glyphs from "#lib/design/glyphs.ts";
import type { IconNode } from "#lib/design/glyphs.ts";

/**
 * Icons of the inbox, as a style sheet (desk-icons.module.css) instead of elements, because a page of rows
 * has hundreds of them. Each is drawn before the text of an element with its class, in the text's color. A
 * test writes the style sheet.
 */
const TRIAGE_ICONS = {
  "state-submitted": glyphs.inbox,
  "state-acknowledged": glyphs.eye,
  "state-investigating": glyphs.search,
  "state-resolved": glyphs.circleCheckBig,
  "state-closed": glyphs.archive,
  "severity-critical": glyphs.chevronsUp,
  "severity-high": glyphs.chevronUp,
  "severity-medium": glyphs.equal,
  "severity-low": glyphs.chevronDown,
  "severity-none": glyphs.circleDashed,
  star: glyphs.star,
  starred: glyphs.star,
  messages: glyphs.messageSquare,
  files: glyphs.paperclip,
  person: glyphs.userRound,
  take: glyphs.userPlus,
  "view-all": glyphs.inbox,
  "view-first": glyphs.mailQuestionMark,
  "view-mine": glyphs.userRound,
  "view-unassigned": glyphs.userRoundX,
  "view-answer": glyphs.messageSquareReply,
  "view-overdue": glyphs.clockExclamationPoint,
  "view-waiting": glyphs.hourglass,
  "view-escalated": glyphs.triangleExclamationPoint,
  "view-open": glyphs.alarmClock,
  "view-pinned": glyphs.star,
  "view-closed": glyphs.archive,
  due: glyphs.clock,
  event: glyphs.calendarDays,
  open: glyphs.chevronDown,
  saved: glyphs.bookmark,
  search: glyphs.search,
  clear: glyphs.x,
  acknowledge: glyphs.check,
  severity: glyphs.flag,
  export: glyphs.download,
  order: glyphs.arrowDownUp,
  views: glyphs.panelLeft,
} satisfies Record<string, IconNode>;

export type TriageIconName = keyof typeof TRIAGE_ICONS;

const FILLED_ICONS: readonly string[] = ["starred"] satisfies TriageIconName[];

/**
 * Renders the style sheet as the formatter would. Masks don't print, and have no color of their own in
 * forced-colors mode.
 */
export function renderIconStyleSheet(): string {
  const all = Object.keys(TRIAGE_ICONS).map((name) => `  .${name}`);
  const each = Object.entries<IconNode>(TRIAGE_ICONS).map(
    ([name, drawing]) => `.${name}::before {\n  mask-image: url("${renderIconImage(name, drawing)}");\n}\n`,
  );
  return `${FILE_HEADER}:where(\n${all.join(",\n")}\n)::before {\n${ICON_RULES}}\n\n${each.join("\n")}`;
}

const FILE_HEADER = "/* Written by desk-shapes.test.ts, from desk-shapes.ts. */\n\n";

const ICON_RULES = `  content: "";
  display: inline-block;
  flex-shrink: 0;
  width: var(--icon-size, 1rem);
  height: var(--icon-size, 1rem);
  background: var(--icon, currentcolor);
  mask: center / contain no-repeat;
  print-color-adjust: exact;

  @media (forced-colors: active) {
    forced-color-adjust: none;
    background: CanvasText;
  }
`;

function renderIconImage(name: string, drawing: IconNode): string {
  const fill = FILLED_ICONS.includes(name) ? "black" : "none";
  const shapes = drawing.map(([shape, attributes]) => {
    const attributeTexts = Object.entries(attributes).map(([key, value]) => `${key}='${value}'`);
    return `<${shape} ${attributeTexts.join(" ")}/>`;
  });
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='${fill}' ${STROKE_ATTRIBUTES}>${shapes.join("")}</svg>`;
  return `data:image/svg+xml,${svg.replaceAll("<", "%3C").replaceAll(">", "%3E")}`;
}

const STROKE_ATTRIBUTES = "stroke='black' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'";
