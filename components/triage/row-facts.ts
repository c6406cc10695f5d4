import { useDueLabel } from "#components/incident/due-text.ts";
import { truncateMiddle } from "#lib/design/cut.ts";
import { formatDateTime, formatRelativeTime } from "#lib/design/time.ts";
import { findIncidentKind } from "#lib/incidents/kinds.ts";
import type { InboxRow } from "#lib/triage/schema.ts";
import { useLocale, useTranslator } from "#i18n";
import { formatRowRef } from "./bulk-actions.ts";
import type { RowFacts } from "./rows.tsx";

type RowFactsContext = {
  now: Date;
  /** Shows each row's event, if the list spans several. */
  withEvent: boolean;
  /** Whether this person is on the event's team; only then can rows be checked and assigned. */
  onTeam: (eventId: string) => boolean;
  /** Rows that stay checked, because an action failed for them. */
  ticked: ReadonlySet<string>;
};

/**
 * Serializes rows for `IncidentRows`. Text is formatted here, so that the browser's own date and number
 * formats can't cause a hydration mismatch.
 */
export function useSerializedRows(rows: readonly InboxRow[], of: RowFactsContext): string {
  const facts = useRowFacts(of);
  const nameOf = ({ id, eventId, event, updatedAt, state }: InboxRow) =>
    formatRowRef({ slug: event.slug, id, eventId, at: updatedAt, state });
  return rows.map((row) => `${nameOf(row)} ${JSON.stringify(facts(row))}`).join("\n");
}

function useRowFacts(of: RowFactsContext) {
  const t = useTranslator("incident");
  const about = useRowDescription(of.withEvent);
  const age = useRowAge(of.now);
  const counted = useRowCounts();
  const clocks = useClocks(of.now);
  return (row: InboxRow): RowFacts => ({
    title: row.title,
    stateWord: t(`state.${row.state}`),
    severity: row.severity ?? undefined,
    severityWord: t(`severity.${row.severity ?? "none"}`),
    ...about(row),
    assignee: row.assignee ?? undefined,
    team: of.onTeam(row.eventId) || undefined,
    pinned: row.pinned || undefined,
    unread: row.unread || undefined,
    ticked: of.ticked.has(row.id) || undefined,
    counts: omitEmpty([...counted("messages", row.messages), ...counted("files", row.files)]),
    clocks: omitEmpty(clocks(row)),
    ...age(row.createdAt),
  });
}

const omitEmpty = <One>(list: readonly One[]) => (list.length > 0 ? list : undefined);

/** Longer event names are cut, to leave room for what follows, at 1280 px too. */
const MAX_EVENT_NAME_LENGTH = 24;

/** Event, incident type and reporter, where known. */
function useRowDescription(withEvent: boolean) {
  const t = useTranslator("incident");
  return ({ event, type, reporter }: InboxRow): Pick<RowFacts, "about" | "whole"> => {
    const kind = findIncidentKind(type);
    const who = reporter?.name ?? t("anonymous");
    const of = (name: string) =>
      [withEvent && name, kind ? t(`kind.${kind}`) : type, who].filter(Boolean).join(" · ");
    const [about, whole] = [of(truncateMiddle(event.name, MAX_EVENT_NAME_LENGTH)), of(event.name)];
    return { about, ...(about !== whole && { whole }) };
  };
}

type Clock = NonNullable<RowFacts["clocks"]>[number];

/** Whose reply is awaited, and what is due. */
function useClocks(now: Date) {
  const t = useTranslator("due");
  const formatDueLabel = useDueLabel(now);
  return ({ due, awaiting }: InboxRow): Clock[] => {
    const dueText = due && formatDueLabel(due, awaiting);
    const isTeamAwaited = dueText !== null && awaiting === "team";
    return [
      ...(awaiting && !isTeamAwaited
        ? [{ icon: AWAITING_ICONS[awaiting], word: t(`awaiting.${awaiting}`), title: t(`about.${awaiting}`) }]
        : []),
      ...(dueText
        ? [{ icon: getClockIcon(dueText.over, isTeamAwaited), word: dueText.when, title: dueText.title }]
        : []),
    ];
  };
}

const getClockIcon = (over: boolean, isTeamAwaited: boolean): Clock["icon"] =>
  over ? "view-overdue" : isTeamAwaited ? AWAITING_ICONS.team : "due";

const AWAITING_ICONS = { reporter: "view-waiting", team: "view-answer" } as const;

function useRowAge(now: Date) {
  const locale = useLocale();
  return (createdAt: string) => {
    const at = new Date(createdAt);
    return { at: createdAt, age: formatRelativeTime(at, now, locale), exact: formatDateTime(at, locale) };
  };
}

function useRowCounts() {
  const t = useTranslator("inbox");
  return (icon: "messages" | "files", count: number) =>
    count > 0 ? [{ icon, count, label: t(icon, { count }) }] : [];
}
