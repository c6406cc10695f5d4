import { type Awaiting, type Due, useDueWords } from "#components/incident/due-words.ts";
import { exactTime, relativeTime } from "#lib/design/time.ts";
import { kindOf } from "#lib/incidents/kinds.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { useLocale, useWords } from "#words";
import { valueOf } from "./deeds.ts";
import type { RowFacts } from "./rows.tsx";

export type Mark = {
  pinned: boolean;
  unread: boolean;
  messages: number;
  due: Due | null;
  awaiting: Awaiting | null;
};

type Of = {
  marks: ReadonlyMap<string, Mark>;
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

const UNMARKED: Mark = { pinned: false, unread: false, messages: 0, due: null, awaiting: null };

/**
 * Rows of the list as data: what they say is put into words here, so that the browser makes the same of it whatever its
 * own idea of dates and numbers is.
 */
export function useRowFacts(incidents: readonly Incident[], of: Of): RowFacts[] {
  const t = useWords("incident");
  const about = useAbout(of.withEvent);
  const age = useAge(of.now);
  const counted = useCounted();
  const clocks = useClocks(of.now);
  return incidents.map((incident) => {
    const { id, eventId, event, state, severity, title, assignedResponder } = incident;
    const mark = of.marks.get(id) ?? UNMARKED;
    const { pinned, unread, messages } = mark;
    return {
      id,
      value: valueOf({ slug: event.slug, id, eventId, at: incident.updatedAt, state }),
      href: `/e/${event.slug}/i/${id}${of.from}`,
      title,
      state,
      stateWord: t(`state.${state}`),
      severity,
      severityWord: t(`severity.${severity ?? "none"}`),
      about: about(incident),
      assignee: assignedResponder && { id: assignedResponder.id, name: assignedResponder.name },
      team: of.onTeam(eventId),
      pinned,
      unread,
      ticked: of.ticked.has(id),
      counts: [counted("messages", messages), counted("files", incident.relatedFiles.length)].filter(
        (one) => one !== null,
      ),
      clocks: clocks(mark),
      ...age(incident.createdAt),
    };
  });
}

/** Event, kind and reporter, as far as they are known. */
function useAbout(withEvent: boolean) {
  const t = useWords("incident");
  return ({ event, type, reporter }: Incident): string => {
    const kind = kindOf(type);
    const who = reporter?.name ?? t("anonymous");
    return [withEvent && event.name, kind ? t(`kind.${kind}`) : type, who].filter(Boolean).join(" · ");
  };
}

/** Whose answer is waited for, and what is due. */
function useClocks(now: Date) {
  const t = useWords("due");
  const words = useDueWords(now);
  return ({ due, awaiting }: Mark): RowFacts["clocks"] => {
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
