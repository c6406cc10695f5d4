"use client";

import clsx from "clsx";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState, useTransition } from "react";
import { useTranslator } from "#i18n";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { useHiddenNewTimelineEntries } from "#components/incident/hidden-new-entries.tsx";
import { Button } from "#components/ui/button.tsx";

type Props = {
  incidentId: string;
  /** Number of history entries the page shows. It also grows with the viewer's own changes. */
  known: number;
  /** Whether the bar is fixed near the bottom of the window, so that it is visible at any scroll position. */
  floating?: boolean;
};

/** Placed above the toast that confirms the last action. */
const FLOATING_CLASS =
  "pointer-events-none fixed inset-x-0 bottom-36 z-30 flex justify-center px-4 min-[50rem]:bottom-22";

/** How long live events after a refresh can still be those of the viewer's own changes. */
const OWN_CHANGE_WINDOW_MS = 4000;

/** Announces new history entries and loads them on request, so that nothing moves under the reader's pointer. */
export function NewEntriesBar({ incidentId, known, floating = false }: Props) {
  const t = useTranslator("incidentClient");
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const { hiddenIds, showHidden } = useHiddenNewTimelineEntries();
  const newEntryCount = useNewEntryCount(incidentId, known);
  const count = hiddenIds.size || newEntryCount;
  const show = () => {
    showHidden();
    startTransition(() => router.refresh());
  };
  return (
    <div role="status" className={clsx("no-print", floating ? FLOATING_CLASS : "empty:-mt-4")}>
      {count > 0 && (
        <div
          className={clsx(
            "pointer-events-auto flex flex-wrap items-center justify-between gap-2 rounded-control bg-accent-soft py-1 ps-4 pe-1 text-accent-hover",
            floating && "border border-accent shadow-lg",
          )}
        >
          <p className="font-[550]">{t("news", { count })}</p>
          <Button variant="quiet" icon="refresh-cw" pending={pending} onClick={show}>
            {t("showNews")}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Counts the history entries that the page doesn't show yet, without those of the viewer's own changes. */
function useNewEntryCount(incidentId: string, known: number): number {
  const [newEntries, setNewEntries] = useState({ known, count: 0 });
  const ownChanges = useRef({ left: 0, until: 0 });

  useEffect(() => {
    setNewEntries((before) => {
      if (before.known === known) return before;
      ownChanges.current = {
        left: known - before.known - before.count,
        until: Date.now() + OWN_CHANGE_WINDOW_MS,
      };
      return { known, count: 0 };
    });
  }, [known]);

  useLiveUpdates((heard) => {
    if (heard.type !== "change" || heard.incidentId !== incidentId) return;
    if (ownChanges.current.left > 0 && Date.now() < ownChanges.current.until) ownChanges.current.left -= 1;
    else setNewEntries((before) => ({ ...before, count: before.count + 1 }));
  });

  return newEntries.known === known ? newEntries.count : 0;
}
