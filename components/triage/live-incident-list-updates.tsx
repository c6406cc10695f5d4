"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslator } from "#i18n";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { Button } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useInbox } from "./inbox-state.tsx";
import { useLiveRowUpdates } from "./use-live-rows.ts";

type Props = {
  /** Ids of the events whose incidents the list shows; null for all of them. */
  eventIds: readonly string[] | null;
};

/**
 * Keeps the rows up to date in place, and announces new incidents in a bar over the end of the list, so that nothing
 * moves under the pointer and the first rows stay readable.
 */
export function LiveIncidentListUpdates({ eventIds }: Props) {
  const t = useTranslator("inboxClient");
  const announcement = useLiveRowUpdates({ withEvent: eventIds === null });
  const { newIncidentIds, hasUrgent, isStale, isConnected, load } = useListChanges(eventIds);
  const colors = hasUrgent ? "border-danger bg-danger-soft text-danger" : "border-accent bg-accent-soft";
  return (
    <>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div
        role={hasUrgent ? "alert" : "status"}
        className="no-print pointer-events-none fixed inset-x-2 bottom-20 z-20"
      >
        {(newIncidentIds.size > 0 || isStale) && (
          <p
            className={`pointer-events-auto mx-auto flex w-fit max-w-full items-center gap-3 rounded-surface border py-1 ps-4 pe-1 shadow-lg ${colors}`}
          >
            {hasUrgent && <Icon as="siren" size={24} />}
            <span>
              {hasUrgent && <strong className="block">{t("urgentReport")}</strong>}
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

/** Returns the changes that the list doesn't show yet, and a function that loads it again. */
function useListChanges(eventIds: Props["eventIds"]) {
  const router = useRouter();
  const { rows, clearChanged } = useInbox();
  const [newIncidentIds, setNewIncidentIds] = useState<ReadonlySet<string>>(new Set());
  const [hasUrgent, setHasUrgent] = useState(false);
  const [isStale, setIsStale] = useState(false);
  const [isConnected, setIsConnected] = useState(true);

  useLiveUpdates((news) => {
    if (news.type === "connection") setIsConnected(news.up);
    if (news.type === "roles" || news.type === "reload") setIsStale(true);
    if (news.type !== "change" || news.kind !== "incident.created" || !news.incidentId) return;
    if (eventIds && !eventIds.includes(news.eventId ?? "")) return;
    const { incidentId } = news;
    if (rows.some(({ id }) => id === incidentId)) return;
    setNewIncidentIds((known) => new Set([...known, incidentId]));
    if (news.urgent) setHasUrgent(true);
  });

  function load() {
    setNewIncidentIds(new Set());
    setHasUrgent(false);
    setIsStale(false);
    clearChanged();
    router.refresh();
  }

  return { newIncidentIds, hasUrgent, isStale, isConnected, load };
}
