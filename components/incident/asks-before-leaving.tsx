"use client";

import { useEffect } from "react";
import { useWords } from "#words";
import { leadsAway } from "#components/ui/leave-guard.tsx";
import { dropDrafts, hasDrafts } from "./unsent.ts";

/** Asks before somebody leaves words behind that were not sent. Filters of the same page keep them, and don't ask. */
export function AsksBeforeLeaving() {
  const t = useWords("caseClient");
  useEffect(() => {
    const question = t("leave");
    const unload = (event: BeforeUnloadEvent) => {
      if (hasDrafts()) event.preventDefault();
    };
    const follow = (event: MouseEvent) => {
      if (!hasDrafts() || !leadsElsewhere(event)) return;
      if (window.confirm(question)) return dropDrafts();
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", unload);
    document.addEventListener("click", follow, true);
    return () => {
      window.removeEventListener("beforeunload", unload);
      document.removeEventListener("click", follow, true);
    };
  }, [t]);
  return null;
}

/** To another page: filters of this one keep what is being written. */
function leadsElsewhere(event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  return link !== null && link.pathname !== location.pathname && leadsAway(event);
}
