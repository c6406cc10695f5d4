"use client";

import { useRouter } from "next/navigation";
import { useLiveEvents } from "#components/live/use-news.ts";
import { useForm } from "#components/ui/form-context.ts";

/** Stands in a form: while it shows two versions to choose from, the one of now is read anew whenever it changes. */
export function VersionRefresher({ incidentId }: { incidentId: string }) {
  const { state } = useForm();
  const router = useRouter();
  useLiveEvents((news) => {
    if (!state.conflict) return;
    if (news.type === "reload" || (news.type === "change" && news.incidentId === incidentId))
      router.refresh();
  });
  return null;
}
