import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { useTranslator } from "#i18n";
import { useInbox } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";
import { wasJustChangedByThisPage } from "./use-bulk-actions.ts";

/** Changes within this time are fetched together. */
const FETCH_DELAY_MS = 400;

/**
 * Replaces rows in place when somebody changes their incidents, and marks them.
 * @param options `withEvent`: whether rows name their event
 * @returns what changed last, for screen readers
 */
export function useLiveRowUpdates({ withEvent }: { withEvent: boolean }): string {
  const t = useTranslator("inboxClient");
  const tIncident = useTranslator("incident");
  const { rows, replaceRows } = useInbox();
  const [announcement, setAnnouncement] = useState("");

  async function update(ids: readonly string[]): Promise<void> {
    const pairs = (await fetchRows({ ids, withEvent })).flatMap((fresh) => {
      const shown = rows.find(({ id }) => id === fresh.id);
      return shown && fresh.at >= shown.at ? [{ shown, fresh }] : [];
    });
    const byOthers = pairs.filter(({ fresh }) => !wasJustChangedByThisPage(fresh.id));
    replaceRows(
      pairs.map(({ fresh }) => fresh),
      byOthers.map(({ fresh }) => fresh.id),
    );
    const sentences = byOthers.map(({ shown, fresh }) => describeRowChange(shown, fresh, { t, tIncident }));
    if (sentences.length > 0) setAnnouncement(sentences.join(" "));
  }

  const queue = useIdBatches(update);
  useLiveUpdates((news) => {
    if (news.type !== "change" || !news.incidentId) return;
    // A row that is shown was there when the list was loaded, whenever the news of its creation arrives.
    if (news.kind === "incident.created") return;
    const { incidentId } = news;
    if (rows.some(({ id }) => id === incidentId)) queue(incidentId);
  });
  return announcement;
}

/** Collects ids for a moment, then passes them on together. */
function useIdBatches(flush: (ids: readonly string[]) => Promise<void>): (id: string) => void {
  const waiting = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onFlush = useEffectEvent(() => {
    timer.current = undefined;
    const ids = [...waiting.current];
    waiting.current.clear();
    void flush(ids);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return (id) => {
    waiting.current.add(id);
    timer.current ??= setTimeout(() => onFlush(), FETCH_DELAY_MS);
  };
}

type RowsRequest = { ids: readonly string[]; withEvent: boolean };

/** Fetches rows as the page shows them; none if the service can't be reached or nobody is signed in. */
async function fetchRows({ ids, withEvent }: RowsRequest): Promise<InboxRowData[]> {
  try {
    const query = new URLSearchParams({ ids: ids.join(","), ...(withEvent && { events: "1" }) });
    const response = await fetch(`/inbox/rows?${query}`, { redirect: "error" });
    return response.ok ? ((await response.json()) as { rows: InboxRowData[] }).rows : [];
  } catch {
    return [];
  }
}

/** Describes what changed in a row: “Title” changed: Acknowledged, Omar Haddad. */
function describeRowChange(
  shown: InboxRowData,
  fresh: InboxRowData,
  { t, tIncident }: { t: Translator<"inboxClient">; tIncident: Translator<"incident"> },
): string {
  const values = [
    ...(fresh.title === shown.title ? [] : [fresh.title]),
    ...(fresh.state === shown.state ? [] : [tIncident(`state.${fresh.state}`)]),
    ...(fresh.severity === shown.severity
      ? []
      : [fresh.urgent ? t("urgent") : tIncident(`severity.${fresh.severity ?? "none"}`)]),
    ...(fresh.assignee?.id === shown.assignee?.id ? [] : [fresh.assignee?.name ?? t("unassigned")]),
  ].join(", ");
  const { title } = shown;
  return values ? t("rowChangedTo", { title, values }) : t("rowChanged", { title });
}
