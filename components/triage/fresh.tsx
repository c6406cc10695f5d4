"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useWords } from "#words";
import { useNews } from "#components/live/use-news.ts";
import { Button } from "#components/ui/button.tsx";
import { elements, factsOf, markChanged, unmarkChanged } from "./page-rows.ts";
import { isOwnDeed } from "./use-deeds.ts";

type Props = {
  /** Ids of the events whose reports the list shows; null for all of them. */
  eventIds: readonly string[] | null;
};

/** New reports wait behind a bar, which lies over the list so that nothing moves under the pointer; a row that changed is marked where it is. */
export function Fresh({ eventIds }: Props) {
  const t = useWords("inboxClient");
  const router = useRouter();
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const [stale, setStale] = useState(false);
  const [up, setUp] = useState(true);

  useNews((news) => {
    if (news.type === "connection") setUp(news.up);
    if (news.type === "roles" || news.type === "reload") setStale(true);
    if (news.type !== "change" || !news.incidentId) return;
    if (eventIds && !eventIds.includes(news.eventId ?? "")) return;
    const { incidentId, kind } = news;
    const row = elements().find((element) => factsOf(element)?.id === incidentId);
    if (row && !isOwnDeed(incidentId)) markChanged(row, t("changedNow"));
    if (!row && kind === "incident.created") setFresh((known) => new Set([...known, incidentId]));
  });

  function load() {
    setFresh(new Set());
    setStale(false);
    unmarkChanged();
    router.refresh();
  }

  return (
    <>
      <div role="status" className="no-print sticky top-2 z-20 -mb-3 h-0">
        {(fresh.size > 0 || stale) && (
          <p className="mx-auto flex w-fit max-w-full items-center gap-3 rounded-surface border border-accent bg-accent-soft py-1 ps-4 pe-1 shadow-lg">
            <span>{fresh.size > 0 ? t("newReports", { count: fresh.size }) : t("mayBeOld")}</span>
            <Button variant="primary" onClick={load}>
              {t("show")}
            </Button>
          </p>
        )}
      </div>
      {!up && (
        <p className="no-print fixed start-2 bottom-2 z-20 max-w-[calc(100vw-1rem)] rounded-control border border-line bg-surface px-3 py-1 text-sm text-muted">
          {t("reconnecting")}
        </p>
      )}
    </>
  );
}
