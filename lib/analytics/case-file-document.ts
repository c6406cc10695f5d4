import {
  describeHistoryChange,
  formatIncidentTime,
  HISTORY_ACTIONS_WITH_DAY_ONLY,
} from "#lib/conversations/history-text.ts";
import type { TranslatorLookup } from "#lib/conversations/history-text.ts";
import type { ConversationRecord } from "#lib/conversations/schema.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import {
  formatCalendarDate,
  formatDate,
  formatDateAndQuarterHourSpan,
  formatDateTime,
  isQuarterHour,
  type TimeFormatOptions,
} from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { HistoryRow } from "#lib/incidents/history-queries.ts";
import { isHistoryEntryTimeRounded } from "#lib/incidents/rounded-times.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { fitTexts } from "./case-file-length.ts";
import { CASE_FILE_PART_NAMES, type CaseFilePart } from "./schema.ts";

/** A case file as it is typeset: texts in the reader's language, and nothing that nobody chose (contract 10.4). */
export type CaseFileDocument = {
  locale: TimeFormatOptions["locale"];
  title: string;
  /** What the file is about, and what it has. */
  lead: string[];
  foot: string;
  /** With `{page}` and `{pages}` for the numbers. */
  pageNumber: string;
  /** Stands at the end where a character is in none of the fonts. */
  missingSigns: string;
  sections: CaseFileSection[];
};

export type CaseFileSection = {
  heading: string;
  facts: [name: string, value: string][];
  /** Texts in their order, each under the line that says whose and from when it is. */
  texts: { about: string; text: string }[];
};

export type CaseFileContent = {
  incident: Incident;
  history: { rows: readonly HistoryRow[]; total: number };
  conversations: readonly ConversationRecord[];
  conversationFiles: readonly ListedFile[];
};

type ListedFile = Pick<Incident["relatedFiles"][number], "filename" | "mimetype" | "size" | "sha256"> & {
  original?: { sha256: string } | null;
};

type Options = {
  parts: Record<CaseFilePart, boolean>;
  /** The name of the person who downloads it. */
  reader: string;
  now: Date;
  format: TimeFormatOptions;
};

type Writing = Options & { content: CaseFileContent; translate: TranslatorLookup };

/** Builds a case file from what its reader may read and chose. */
export function buildCaseFileDocument(content: CaseFileContent, options: Options): CaseFileDocument {
  const { format, now, parts, reader } = options;
  const translate: TranslatorLookup = (namespace) => createTranslatorForLocale(format.locale, namespace);
  const t = translate("caseFile");
  const writing = { ...options, content, translate };
  const { incident } = content;
  const chosen = CASE_FILE_PART_NAMES.filter((name) => parts[name]).map((name) => t(name));
  const sections = [
    buildReport(writing),
    ...buildTimeline(writing),
    ...content.conversations.map((conversation) => buildConversation(writing, conversation)),
    ...buildFiles(writing),
  ];
  return {
    locale: format.locale,
    title: t("title"),
    lead: [
      `${t("incident", { code: incident.codeName })} · ${incident.event.name}`,
      t("contains", { parts: [translate("incidentPage")("report"), ...chosen].join(" · ") }),
    ],
    foot: t("foot", { name: reader, time: formatDateTime(now, format) }),
    pageNumber: t("page", { page: "{page}", pages: "{pages}" }),
    missingSigns: t("missingSigns"),
    sections: fitTexts(sections, (count) => t("leftOut", { count })),
  };
}

function buildReport({ content: { incident }, parts, translate, format }: Writing): CaseFileSection {
  const t = translate("incident");
  const own = translate("ownReport");
  const { reporter } = incident;
  const at = (value: string | null) => value && formatReportTime(value, format);
  const facts: [string, string | null][] = [
    [t("field.state"), t(`state.${incident.state}`)],
    [t("field.severity"), t(`severity.${incident.severity ?? "none"}`)],
    [t("field.when"), formatIncidentTime(incident, { translate, format })],
    [t("field.where"), incident.location],
    [t("field.parties"), incident.parties],
    [t("field.kind"), incident.type],
    [
      t("field.reporter"),
      reporter
        ? [reporter.name, ...(reporter.emailVerified ? [] : [t("reporterUnconfirmed")])].join(" · ")
        : own("anonymousReport"),
    ],
    [t("field.assignee"), incident.assignedResponder?.name ?? own("nobodyYet")],
    [t("field.reported"), at(incident.createdAt)],
    [t("field.firstAnswer"), at(incident.firstResponseAt)],
    [t("field.escalated"), at(incident.escalatedAt)],
    [t("field.reopened"), at(incident.reopenedAt)],
    [t("field.resolved"), at(incident.resolvedAt)],
  ];
  // What the team wrote for itself.
  const teamTexts: [string, string | null][] = [
    [t("summaryOfTeam"), incident.summary],
    [t("field.resolution"), incident.resolution],
  ];
  return {
    heading: incident.title,
    facts: facts.filter((fact): fact is [string, string] => Boolean(fact[1])),
    texts: [
      { about: translate("incidentPage")("report"), text: incident.description },
      ...(parts.notes ? teamTexts : []).flatMap(([about, text]) => (text ? [{ about, text }] : [])),
    ],
  };
}

/** Times of reports without their reporter's name are rounded (contract 7.3). */
const formatReportTime = (value: Date | string, format: TimeFormatOptions): string =>
  isQuarterHour(value)
    ? formatDateAndQuarterHourSpan(new Date(value), format)
    : formatDateTime(new Date(value), format);

/** One stream of changes, notes and messages, as far as they were chosen. */
function buildTimeline(writing: Writing): CaseFileSection[] {
  const { content, parts, translate } = writing;
  if (!parts.timeline && !parts.notes && !parts.messages) return [];
  const { rows, total } = content.history;
  const t = translate("caseFile");
  return [
    {
      heading: t(parts.timeline ? "timeline" : parts.notes ? "notes" : "messages"),
      facts: [],
      texts: [
        ...rows.map((row) => describeEntry(writing, row)),
        ...(total > rows.length ? [{ about: "", text: t("leftOut", { count: total - rows.length }) }] : []),
      ],
    },
  ];
}

/** Changes whose values are the team's own words, like a note, and what a file without notes says of them. */
const TEAM_WORDS = {
  downloaded: (translate: TranslatorLookup) => translate("caseFile")("did.downloadedOnly"),
  summary: (translate: TranslatorLookup) => translate("incident")("field.summary"),
};
type TeamWords = keyof typeof TEAM_WORDS;

function describeEntry(writing: Writing, row: HistoryRow): CaseFileSection["texts"][number] {
  const { translate } = writing;
  const { action, actor, body, fromMailbox } = row;
  const time = formatEntryTime(row, writing.format);
  const isText = (action === "note" || action === "message") && body !== null;
  if (!writing.parts.notes && action in TEAM_WORDS)
    return { about: joinParts([time, actor?.name]), text: TEAM_WORDS[action as TeamWords](translate) };
  if (!isText) {
    // None of the fonts has an arrow.
    const change = describeHistoryChange(writing, row).replaceAll("→", ">");
    return { about: joinParts([time, actor?.name]), text: change };
  }
  const t = translate("incident");
  const author = fromMailbox ? t("anonymous") : (actor?.name ?? t("gone"));
  return { about: joinParts([chooseLabel(writing, row), time, author]), text: body };
}

const joinParts = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(" · ");

function chooseLabel({ content, translate }: Writing, row: HistoryRow): string {
  const t = translate("incidentPage");
  if (row.outcome) return t("outcomeTitle");
  if (row.action === "note") return t("noteTitle");
  const { reporterId } = content.incident;
  const isFromReporter = row.fromMailbox || (reporterId !== null && row.actor?.id === reporterId);
  return t(isFromReporter ? "fromReporter" : "messageTitle");
}

function formatEntryTime(
  { action, actor, createdAt, fromMailbox }: HistoryRow,
  format: TimeFormatOptions,
): string {
  if (HISTORY_ACTIONS_WITH_DAY_ONLY.includes(action)) return formatDate(createdAt, format);
  const entry = { action, actor, comment: { fromMailbox }, createdAt: createdAt.toISOString() };
  return isHistoryEntryTimeRounded(entry)
    ? formatDateAndQuarterHourSpan(createdAt, format)
    : formatDateTime(createdAt, format);
}

type ConversationMessage = ConversationRecord["messages"][number];

function buildConversation(writing: Writing, conversation: ConversationRecord): CaseFileSection {
  const { translate, format } = writing;
  const t = translate("conversations");
  const { party, label, messages } = conversation;
  const about = ({ from, author, createdAt, kind }: ConversationMessage) =>
    joinParts([
      from === "party" ? t("fromParty") : t("fromTeam", { name: author?.name ?? t("gone") }),
      kind === "appeal" ? t("appeal") : kind === "decision" ? t("decision") : undefined,
      // What the person does is dated with its UTC day.
      from === "party"
        ? formatCalendarDate(new Date(createdAt).toISOString().slice(0, 10), format.locale)
        : formatDateTime(new Date(createdAt), format),
    ]);
  return {
    heading: `${t(`party.${party}`)}: ${label}`,
    facts: [],
    texts: messages.map((message) => ({ about: about(message), text: writeMessage(writing, message) })),
  };
}

/** The text of a message, or the parts of a decision. */
function writeMessage({ translate, format }: Writing, { body, decision }: ConversationMessage): string {
  if (!decision) return body ?? "";
  const t = translate("conversations");
  const { measureEndsOn } = decision;
  const parts: [string, string | null][] = [
    [t("reported"), decision.reported],
    [t("finding"), decision.finding],
    [t("measure"), decision.measure],
    [t("measureEndsOn"), measureEndsOn && formatCalendarDate(measureEndsOn, format.locale)],
    [t("appealHow"), decision.appeal],
  ];
  return parts.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join("\n\n");
}

function buildFiles({ content, parts, translate, format }: Writing): CaseFileSection[] {
  const { incident, conversationFiles } = content;
  const files: readonly ListedFile[] = [...incident.relatedFiles, ...conversationFiles];
  if (!parts.files || files.length === 0) return [];
  const t = translate("caseFile");
  const texts = files.map(({ filename, mimetype, size, sha256, original }) => ({
    about: `${filename} · ${mimetype} · ${formatFileSize(size, format.locale)}`,
    text: [`SHA-256 ${sha256}`, ...(original ? [`${t("original")} SHA-256 ${original.sha256}`] : [])].join(
      "\n",
    ),
  }));
  return [{ heading: t("files"), facts: [], texts }];
}
