import { createDueLabelFormatter } from "#components/incident/due-text.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { truncateMiddle } from "#lib/design/truncate.ts";
import type { TriageIconName } from "#lib/design/triage-icons.ts";
import {
  formatDateTime,
  formatRelativeTime,
  formatDateAndQuarterHourSpan,
  formatRelativeTimeOrQuarterHour,
  isQuarterHour,
  type TimeFormatOptions,
} from "#lib/design/time.ts";
import { formatIncidentName } from "#lib/incidents/incident-name.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import type { Severity } from "#lib/incidents/schema.ts";
import { SEARCH_PLACES } from "#lib/incidents/list-schema.ts";
import type { InboxRow } from "#lib/incidents/inbox-schema.ts";
import { useTimeFormatOptionsByEvent } from "#components/i18n/server-translator.ts";
import { useTranslator } from "#i18n";
import type { IncidentRowSnapshot } from "./bulk-actions.ts";

/**
 * The data that a row shows of an incident. Texts are formatted on the server, so that the browser's own date and
 * number formats can't cause a hydration mismatch. Values that don't apply are omitted, because a page has twenty rows.
 */
export type InboxRowData = IncidentRowSnapshot & {
  title: string;
  severity?: Severity;
  /** Until an urgent report is acknowledged. */
  urgent?: true;
  /** Event, code name and number, incident type and reporter, each in a direction of its own. */
  about: readonly string[];
  /** The texts of `about` with the full name of the event, if `about` shortens it. */
  whole?: string;
  assignee?: { id: string; name: string };
  /** Whether the row can be checked and its incident assigned. */
  team?: true;
  pinned?: true;
  unread?: true;
  counts?: readonly { icon: TriageIconName; count: number; label: string }[];
  /** Ids of the people who can't be assigned, since the incident is hidden from them. */
  hiddenFrom?: readonly string[];
  /** Badges: the next deadline, the side whose reply is awaited, and from how many people the incident is hidden. */
  badges?: readonly RowBadge[];
  /** When it was reported: as ISO 8601, as a relative time, and exactly. */
  reportedAt: string;
  age: string;
  exact: string;
};

type BadgeIconName = Extract<
  TriageIconName,
  | "withdrawn"
  | "hidden"
  | "due"
  | "overdue"
  | "awaiting-reporter"
  | "awaiting-team"
  | "reporter-unconfirmed"
  | "reporter-namesake"
>;
type RowBadge = readonly [icon: BadgeIconName, word: string, title: string];

type IncidentRowTranslators = {
  incident: Translator<"incident">;
  inbox: Translator<"inbox">;
  due: Translator<"due">;
  /** Returns the format in which the current user sees an event's times. */
  timeFormatOf: (eventId: string) => TimeFormatOptions;
};

type RowFactsContext = {
  now: Date;
  /** Shows each row's event, if the list spans several. */
  withEvent: boolean;
  /** Whether the current user is on the event's team; only then can rows be checked and assigned. */
  onTeam: (eventId: string) => boolean;
};

/** Returns the translators of rows, in components of the server. */
export const useIncidentRowTranslators = (): IncidentRowTranslators => ({
  incident: useTranslator("incident"),
  inbox: useTranslator("inbox"),
  due: useTranslator("due"),
  timeFormatOf: useTimeFormatOptionsByEvent(),
});

export const formatInboxRow = (
  row: InboxRow,
  translators: IncidentRowTranslators,
  of: RowFactsContext,
): InboxRowData => ({
  ...toRowSnapshot(row),
  title: row.title,
  ...(row.severity && { severity: row.severity }),
  ...(row.urgent && { urgent: true }),
  ...describeRow(row, translators, of.withEvent),
  ...(row.assignee && { assignee: row.assignee }),
  ...(of.onTeam(row.eventId) && { team: true }),
  ...(row.pinned && { pinned: true }),
  ...(row.unread && { unread: true }),
  ...omitEmpty("hiddenFrom", row.hiddenFrom),
  ...omitEmpty("counts", listCounts(row, translators)),
  ...omitEmpty("badges", listBadges(row, translators, of)),
  ...formatAge(row, translators, of.now),
});

const toRowSnapshot = ({ event, id, eventId, updatedAt, state }: InboxRow): IncidentRowSnapshot => ({
  slug: event.slug,
  id,
  eventId,
  at: updatedAt,
  state,
});

const omitEmpty = <Name extends string, One>(name: Name, list: readonly One[]) =>
  (list.length > 0 ? { [name]: list } : {}) as Partial<Record<Name, readonly One[]>>;

/** Longer event names are cut, to leave room for what follows, at 1280 px too. */
const MAX_EVENT_NAME_LENGTH = 24;

/** Event, code name and number, incident type and reporter, where known. */
function describeRow(
  { event, type, reporter, foundIn, ...row }: InboxRow,
  { incident: t, inbox }: IncidentRowTranslators,
  withEvent: boolean,
): Pick<InboxRowData, "about" | "whole"> {
  const kind = parseIncidentKind(type);
  const who = reporter?.name ?? t("anonymous");
  const found = SEARCH_PLACES.filter((place) => foundIn.includes(place)).map((place) =>
    inbox(`found.${place}`),
  );
  const of = (name: string) =>
    [
      found.length > 0 && inbox("foundIn", { places: found.join(", ") }),
      withEvent && name,
      formatIncidentName(row),
      kind ? t(`kind.${kind}`) : type,
      who,
    ].filter((text) => typeof text === "string");
  const about = of(truncateMiddle(event.name, MAX_EVENT_NAME_LENGTH));
  const [short, whole] = [about, of(event.name)].map((texts) => texts.join(" · "));
  return { about, ...(short !== whole && { whole }) };
}

/**
 * Lists the badges of a row: that the report was withdrawn, the side whose reply is awaited, the next deadline, from how
 * many people the incident is hidden, and what the team should know of the reporter's name.
 */
function listBadges(row: InboxRow, translators: IncidentRowTranslators, of: RowFactsContext): RowBadge[] {
  const { due, awaiting, eventId, withdrawn, hiddenFrom } = row;
  const { now } = of;
  const { due: t, inbox } = translators;
  const dueText =
    due && createDueLabelFormatter({ t, format: translators.timeFormatOf(eventId), now })(due, awaiting);
  const isTeamAwaited = dueText !== null && awaiting === "team";
  return [
    ...(withdrawn ? [["withdrawn", inbox("withdrawn"), inbox("withdrawnTitle")] as const] : []),
    ...(awaiting && !isTeamAwaited
      ? [[`awaiting-${awaiting}`, t(`awaiting.${awaiting}`), t(`about.${awaiting}`)] as const]
      : []),
    ...(dueText ? [[getDueIcon(dueText.over, isTeamAwaited), dueText.when, dueText.title] as const] : []),
    ...(hiddenFrom.length > 0
      ? [["hidden", inbox("hiddenFrom", { count: hiddenFrom.length }), inbox("hiddenFromTitle")] as const]
      : []),
    ...(of.onTeam(eventId) ? listReporterBadges(row, translators) : []),
  ];
}

function listReporterBadges(
  { reporter }: InboxRow,
  { incident: t, inbox }: IncidentRowTranslators,
): RowBadge[] {
  if (!reporter) return [];
  const { emailVerified, namesake } = reporter;
  return [
    ...(emailVerified
      ? []
      : [["reporter-unconfirmed", t("reporterUnconfirmed"), inbox("unconfirmedTitle")] as const]),
    ...(namesake === null
      ? []
      : [["reporter-namesake", inbox("namesake"), t("reporterNamesake", { name: namesake })] as const]),
  ];
}

const getDueIcon = (over: boolean, isTeamAwaited: boolean): BadgeIconName =>
  over ? "overdue" : isTeamAwaited ? "awaiting-team" : "due";

function formatAge({ createdAt, eventId }: InboxRow, { timeFormatOf }: IncidentRowTranslators, now: Date) {
  const isRounded = isQuarterHour(createdAt);
  const format = timeFormatOf(eventId);
  const at = new Date(createdAt);
  return {
    reportedAt: createdAt,
    age: (isRounded ? formatRelativeTimeOrQuarterHour : formatRelativeTime)(at, now, format),
    exact: (isRounded ? formatDateAndQuarterHourSpan : formatDateTime)(at, format),
  };
}

const listCounts = (row: InboxRow, { inbox: t }: IncidentRowTranslators) =>
  (["messages", "files"] as const).flatMap((icon) =>
    row[icon] > 0 ? [{ icon, count: row[icon], label: t(icon, { count: row[icon] }) }] : [],
  );
