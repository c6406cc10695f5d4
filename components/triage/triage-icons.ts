import * as icons from "#lib/design/icons.ts";
import type { IconShapes } from "#lib/design/icons.ts";

/**
 * Icons of the inbox, as a style sheet (triage-icons.module.css) instead of elements, because a page of rows
 * has hundreds of them. Each is drawn before the text of an element with its class, in the text's color. A
 * test writes the style sheet.
 */
const TRIAGE_ICONS = {
  "state-submitted": icons.inboxIcon,
  "state-acknowledged": icons.eyeIcon,
  "state-investigating": icons.searchIcon,
  "state-resolved": icons.circleCheckBigIcon,
  "state-closed": icons.archiveIcon,
  "severity-critical": icons.chevronsUpIcon,
  "severity-high": icons.chevronUpIcon,
  "severity-medium": icons.equalIcon,
  "severity-low": icons.chevronDownIcon,
  "severity-none": icons.circleDashedIcon,
  star: icons.starIcon,
  starred: icons.starIcon,
  messages: icons.messageSquareIcon,
  files: icons.paperclipIcon,
  person: icons.userRoundIcon,
  take: icons.userPlusIcon,
  "view-all": icons.inboxIcon,
  "view-first": icons.mailQuestionMarkIcon,
  "view-mine": icons.userRoundIcon,
  "view-unassigned": icons.userRoundXIcon,
  "view-answer": icons.messageSquareReplyIcon,
  "view-overdue": icons.clockExclamationPointIcon,
  "view-waiting": icons.hourglassIcon,
  "view-escalated": icons.triangleExclamationPointIcon,
  "view-open": icons.alarmClockIcon,
  "view-pinned": icons.starIcon,
  "view-closed": icons.archiveIcon,
  withdrawn: icons.undoIcon,
  hidden: icons.eyeOffIcon,
  due: icons.clockIcon,
  event: icons.calendarDaysIcon,
  open: icons.chevronDownIcon,
  saved: icons.bookmarkIcon,
  search: icons.searchIcon,
  clear: icons.xIcon,
  acknowledge: icons.checkIcon,
  severity: icons.flagIcon,
  export: icons.downloadIcon,
  order: icons.arrowDownUpIcon,
  views: icons.panelLeftIcon,
} satisfies Record<string, IconShapes>;

export type TriageIconName = keyof typeof TRIAGE_ICONS;

const FILLED_ICONS: readonly string[] = ["starred"] satisfies TriageIconName[];

/**
 * Renders the style sheet, formatted as the formatter would. An icon is a colored background behind a mask: browsers
 * leave backgrounds out of prints and replace their colors in forced-colors mode, so the rules below opt out of both.
 */
export function renderIconStyleSheet(): string {
  const all = Object.keys(TRIAGE_ICONS).map((name) => `  .${name}`);
  const each = Object.entries<IconShapes>(TRIAGE_ICONS).map(
    ([name, drawing]) => `.${name}::before {\n  mask-image: url("${renderIconImage(name, drawing)}");\n}\n`,
  );
  return `${FILE_HEADER}:where(\n${all.join(",\n")}\n)::before {\n${ICON_RULES}}\n\n${each.join("\n")}`;
}

const FILE_HEADER = "/* Written by triage-icons.test.ts, from triage-icons.ts. */\n\n";

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

function renderIconImage(name: string, drawing: IconShapes): string {
  const fill = FILLED_ICONS.includes(name) ? "black" : "none";
  const shapes = drawing.map(([shape, attributes]) => {
    const attributeTexts = Object.entries(attributes).map(([key, value]) => `${key}='${value}'`);
    return `<${shape} ${attributeTexts.join(" ")}/>`;
  });
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='${fill}' ${STROKE_ATTRIBUTES}>${shapes.join("")}</svg>`;
  return `data:image/svg+xml,${svg.replaceAll("<", "%3C").replaceAll(">", "%3E")}`;
}

const STROKE_ATTRIBUTES = "stroke='black' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'";
