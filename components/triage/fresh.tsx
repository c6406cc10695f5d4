"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslator } from "#i18n";
import { useLiveEvents } from "#components/live/use-news.ts";
import { Button } from "#components/ui/button.tsx";
import { listRowElements, readPageRow, markRowChanged, clearChangedMarks } from "./page-rows.ts";
import { isOwnRecentChange } from "./use-bulk-actions.ts";

type Props = {
  /** Ids of the events whose incidents the list shows; null for all of them. */
  eventIds: readonly string[] | null;
};

/**
 * Announces new incidents in a bar over the list, so that nothing moves under the pointer, and marks changed
 * rows in place.
 */
export function NewReportsBar({ eventIds }: Props) {
  const t = useTranslator("inboxClient");
  const { newIncidentIds, isStale, isConnected, load } = useListChanges(eventIds);
  return (
    <>
      <div role="status" className="no-print sticky top-2 z-20 -mb-3 h-0">
        {(newIncidentIds.size > 0 || isStale) && (
          <p className="mx-auto flex w-fit max-w-full items-center gap-3 rounded-surface border border-accent bg-accent-soft py-1 ps-4 pe-1 shadow-lg">
            <span>
              {newIncidentIds.size > 0 ? t("newReports", { count: newIncidentIds.size }) : t("mayBeOld")}
            </span>
            <Button variant="primary" onClick={load}>
              {t("show")}
            </Button>
          </p>
        )}
      </div>
      {!isConnected && (
        <p className="no-print fixed start-2 bottom-2 z-20 max-w-[calc(100vw-1rem)] rounded-control border border-line bg-surface px-3 py-1 text-sm text-muted">
          {t("reconnecting")}
        </p>
      )}
    </>
  );
}

/** What has changed since the list was loaded, and a function that loads it again. */
function useListChanges(eventIds: Props["eventIds"]) {
  const t = useTranslator("inboxClient");
  const router = useRouter();
  const [newIncidentIds, setNewIncidentIds] = useState<ReadonlySet<string>>(new Set());
  const [isStale, setIsStale] = useState(false);
  const [isConnected, setIsConnected] = useState(true);

  useLiveEvents((news) => {
    if (news.type === "connection") setIsConnected(news.up);
    if (news.type === "roles" || news.type === "reload") setIsStale(true);
    if (news.type !== "change" || !news.incidentId) return;
    if (eventIds && !eventIds.includes(news.eventId ?? "")) return;
    const { incidentId, kind } = news;
    const row = listRowElements().find((element) => readPageRow(element)?.id === incidentId);
    if (row && !isOwnRecentChange(incidentId)) markRowChanged(row, t("changedNow"));
    if (!row && kind === "incident.created") setNewIncidentIds((known) => new Set([...known, incidentId]));
  });

  function load() {
    setNewIncidentIds(new Set());
    setIsStale(false);
    clearChangedMarks();
    router.refresh();
  }

  return { newIncidentIds, isStale, isConnected, load };
}
