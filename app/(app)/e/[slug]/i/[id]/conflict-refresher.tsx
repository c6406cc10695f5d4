"use client";

import { useRouter } from "next/navigation";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { useFormContext } from "#components/ui/form-context.ts";

/**
 * Placed in a form: while the form shows two versions to choose from, refreshes the page whenever the
 * incident changes.
 */
export function VersionConflictRefresher({ incidentId }: { incidentId: string }) {
  const { state } = useFormContext();
  const router = useRouter();
  useLiveUpdates((news) => {
    if (!state.conflict) return;
    if (news.type === "reload" || (news.type === "change" && news.incidentId === incidentId))
      router.refresh();
  });
  return null;
}
