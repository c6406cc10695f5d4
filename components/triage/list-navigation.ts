import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent } from "react";
import { useDocumentEvent } from "#components/ui/document-event.ts";
import { isUnmodifiedPrimaryClick } from "#components/ui/unmodified-click.ts";
import { takeLastViewedIncidentId } from "./last-viewed-incident.ts";
import type { InboxContextValue } from "./inbox-state.tsx";

/** Listeners on the links of the list: those of its rows, filters, views and pages alike. */

/** Follows the list's links without a new page. */
export function useClientListNavigation(here: string): void {
  const router = useRouter();
  useDocumentEvent("click", (event) => {
    const target = event.target as Element;
    const link = target.closest<HTMLAnchorElement>("#inbox-area a[href]:not([data-choose])");
    if (!link || !isUnmodifiedPrimaryClick(event) || event.defaultPrevented) return;
    event.preventDefault();
    document.getElementById("views")?.hidePopover();
    // If a page is removed with the focus inside, the browser restyles all of it to blur the element.
    if (link.closest("[data-row]")) link.blur();
    router.push(link.getAttribute("href") ?? here);
  });
}

/** Focuses the row of the incident that the person comes from, and the first button of the views when they open. */
export function useLastViewedRowFocus({ focusRow }: Pick<InboxContextValue, "focusRow">): void {
  const focusLeftRow = useEffectEvent(() => {
    const id = takeLastViewedIncidentId();
    if (id && document.activeElement === document.body) focusRow(id);
  });
  useEffect(() => {
    focusLeftRow();
    const views = document.getElementById("views");
    const intoViews = (event: ToggleEvent) => {
      if (event.newState === "open") views?.querySelector("button")?.focus();
    };
    views?.addEventListener("toggle", intoViews);
    return () => views?.removeEventListener("toggle", intoViews);
  }, []);
}
