import { useDueWords } from "#components/incident/due-words.ts";
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
  /** What a report's address ends with, so that its page knows the list. */
  from: string;
  /** Is this person on the team of the event? Only then rows can be chosen and given to somebody. */
  onTeam: (eventId: string) => boolean;
  /** Stay ticked: what could not be done to them. */
  ticked: ReadonlySet<string>;
};

/**
 * Rows of the list as data: what they say is put into words here, so that the browser makes the same of it whatever its
 * own idea of dates and numbers is.
 */
export function useRowFacts(rows: readonly DeskRow[], of: Of): RowFacts[] {
  const t = useWords("incident");
  const about = useAbout(of.withEvent);
  const age = useAge(of.now);
  const counted = useCounted();
  const clocks = useClocks(of.now);
  return rows.map((row) => {
    const { id, eventId, event, state, severity, title, assignee, pinned, unread, messages, files } = row;
    return {
      id,
      value: valueOf({ slug: event.slug, id, eventId, at: row.updatedAt, state }),
      href: `/e/${event.slug}/i/${id}${of.from}`,
      title,
      state,
      stateWord: t(`state.${state}`),
      severity,
      severityWord: t(`severity.${severity ?? "none"}`),
      about: about(row),
      assignee,
      team: of.onTeam(eventId),
      pinned,
      unread,
      ticked: of.ticked.has(id),
      counts: [counted("messages", messages), counted("files", files)].filter((one) => one !== null),
      clocks: clocks(row),
      ...age(row.createdAt),
    };
  });
}

/** Event, kind and reporter, as far as they are known. */
function useAbout(withEvent: boolean) {
  const t = useWords("incident");
  return ({ event, type, reporter }: DeskRow): string => {
    const kind = kindOf(type);
    const who = reporter?.name ?? t("anonymous");
    return [withEvent && event.name, kind ? t(`kind.${kind}`) : type, who].filter(Boolean).join(" · ");
  };
}

/** Whose answer is waited for, and what is due. */
function useClocks(now: Date) {
  const t = useWords("due");
  const words = useDueWords(now);
  return ({ due, awaiting }: DeskRow): RowFacts["clocks"] => {
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

const iconOf = (over: boolean, answer: boolean): RowFacts["clocks"][number]["icon"] =>
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
    count > 0 ? { icon, count, label: t(icon, { count }) } : null;
}
