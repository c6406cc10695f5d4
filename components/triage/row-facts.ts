import { useDueWords } from "#components/incident/due-words.ts";
import { cutInMiddle } from "#lib/design/cut.ts";
import { exactTime, relativeTime } from "#lib/design/time.ts";
import { kindOf } from "#lib/incidents/kinds.ts";
import type { DeskRow } from "#lib/triage/schema.ts";
import { useLocale, useWords } from "#words";
import { valueOf } from "./deeds.ts";
import type { RowFacts } from "./rows.tsx";

type Of = {
  now: Date;
  /** Names the event of each row, where the list holds several. */
  withEvent: boolean;
  /** Is this person on the team of the event? Only then rows can be chosen and given to somebody. */
  onTeam: (eventId: string) => boolean;
  /** Stay ticked: what could not be done to them. */
  ticked: ReadonlySet<string>;
};

/**
 * Rows of the list as data, for `Rows`: what they say is put into words here, so that the browser makes the same of it
 * whatever its own idea of dates and numbers is.
 */
export function useRowLines(rows: readonly DeskRow[], of: Of): string {
  const facts = useFacts(of);
  const nameOf = ({ id, eventId, event, updatedAt, state }: DeskRow) =>
    valueOf({ slug: event.slug, id, eventId, at: updatedAt, state });
  return rows.map((row) => `${nameOf(row)} ${JSON.stringify(facts(row))}`).join("\n");
}

function useFacts(of: Of) {
  const t = useWords("incident");
  const about = useAbout(of.withEvent);
  const age = useAge(of.now);
  const counted = useCounted();
  const clocks = useClocks(of.now);
  return (row: DeskRow): RowFacts => ({
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
    counts: some([...counted("messages", row.messages), ...counted("files", row.files)]),
    clocks: some(clocks(row)),
    ...age(row.createdAt),
  });
}

const some = <One>(list: readonly One[]) => (list.length > 0 ? list : undefined);

/** So much of an event's name leaves room for what stands behind it, at 1280 px, too. */
const MOST_OF_EVENT = 24;

/** Event, kind and reporter, as far as they are known. */
function useAbout(withEvent: boolean) {
  const t = useWords("incident");
  return ({ event, type, reporter }: DeskRow): Pick<RowFacts, "about" | "whole"> => {
    const kind = kindOf(type);
    const who = reporter?.name ?? t("anonymous");
    const of = (name: string) =>
      [withEvent && name, kind ? t(`kind.${kind}`) : type, who].filter(Boolean).join(" · ");
    const [about, whole] = [of(cutInMiddle(event.name, MOST_OF_EVENT)), of(event.name)];
    return { about, ...(about !== whole && { whole }) };
  };
}

type Clock = NonNullable<RowFacts["clocks"]>[number];

/** Whose answer is waited for, and what is due. */
function useClocks(now: Date) {
  const t = useWords("due");
  const words = useDueWords(now);
  return ({ due, awaiting }: DeskRow): Clock[] => {
    const said = due && words(due, awaiting);
    const answer = said !== null && awaiting === "team";
    return [
      ...(awaiting && !answer
        ? [{ icon: AWAITED[awaiting], word: t(`awaiting.${awaiting}`), title: t(`about.${awaiting}`) }]
        : []),
      ...(said ? [{ icon: iconOf(said.over, answer), word: said.when, title: said.title }] : []),
    ];
  };
}

const iconOf = (over: boolean, answer: boolean): Clock["icon"] =>
  over ? "view-overdue" : answer ? AWAITED.team : "due";

const AWAITED = { reporter: "view-waiting", team: "view-answer" } as const;

function useAge(now: Date) {
  const locale = useLocale();
  return (createdAt: string) => {
    const at = new Date(createdAt);
    return { at: createdAt, age: relativeTime(at, now, locale), exact: exactTime(at, locale) };
  };
}

function useCounted() {
  const t = useWords("inbox");
  return (icon: "messages" | "files", count: number) =>
    count > 0 ? [{ icon, count, label: t(icon, { count }) }] : [];
}
