import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef } from "react";
import { isPlainPress } from "#components/ui/plain-press.ts";
import { takeLeftIncident } from "./came-from.ts";
import type { BulkAction } from "./bulk-actions.ts";
import { buildListAddress, findUnchosenSeverity, readAllMatching, readBulkAction } from "./forms.ts";
import {
  focusRow,
  listRowElements,
  listTickedRows,
  type PageRow,
  readPageRow,
  setTicked,
} from "./page-rows.ts";
import type { useBulkRun } from "./use-all.ts";

/** Listeners on the server-rendered list, its links and its forms. */

const findListArea = () => document.getElementById("desk-area");

/** Follows the list's links without a new page, and lets the button for it check all rows. */
export function useListLinks(here: string): void {
  const router = useRouter();
  const onClick = useEffectEvent((event: MouseEvent) => {
    const target = event.target as Element;
    if (target.closest("[data-select=page]"))
      for (const element of listRowElements()) setTicked(element, true);
    const link = target.closest<HTMLAnchorElement>("#desk-area a[href]:not([data-choose])");
    if (!link || !isPlainPress(event) || event.defaultPrevented) return;
    event.preventDefault();
    document.getElementById("views")?.hidePopover();
    // If a page is removed with the focus inside, the browser restyles all of it to blur the element.
    if (link.closest("[data-row]")) link.blur();
    router.push(link.getAttribute("href") ?? here);
  });
  useEffect(() => {
    const controller = new AbortController();
    document.addEventListener("click", (event) => onClick(event), { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

type ListFormOptions = {
  perform: (action: BulkAction, rows: readonly PageRow[]) => void;
  /** Asks before an action on all matching rows. */
  confirmRun: ReturnType<typeof useBulkRun>["ask"];
};

/** Handles the filters and the bulk actions without a new page. */
export function useListForms({ perform, confirmRun }: ListFormOptions): void {
  const router = useRouter();
  const onSubmit = useEffectEvent((event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    if (form.id === "desk-filter") {
      event.preventDefault();
      return router.push(buildListAddress(form));
    }
    const unchosen = form.id === "desk" && findUnchosenSeverity(form, event.submitter);
    if (unchosen) {
      event.preventDefault();
      event.stopPropagation();
      return unchosen.focus();
    }
    const action = form.id === "desk" && readBulkAction(form, event.submitter);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    const one = event.submitter?.closest<HTMLElement>("[data-row]");
    const matching = one ? undefined : readAllMatching(form);
    if (matching) return confirmRun({ action, matching, total: matching.total });
    perform(
      action,
      (one ? [one] : listTickedRows()).flatMap((element) => readPageRow(element) ?? []),
    );
  });
  useEffect(() => {
    const controller = new AbortController();
    // Captured before React, which would submit the form and load a new page.
    const options = { signal: controller.signal, capture: true };
    findListArea()?.addEventListener("submit", (event) => onSubmit(event), options);
    return () => controller.abort();
  }, []);
}

/** @returns reads the row that was last checked or unchecked */
export function useLastTickedRow(): () => HTMLElement | undefined {
  const lastTicked = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const area = findListArea();
    const onChange = (event: Event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-row]");
      if (row) lastTicked.current = row;
    };
    area?.addEventListener("change", onChange);
    return () => area?.removeEventListener("change", onChange);
  }, []);
  return () => lastTicked.current;
}

/** Focuses the row whose incident was left for the list, and the first view when the list of views opens. */
export function useReturnFocus(): void {
  useEffect(() => {
    const from = takeLeftIncident();
    const row = from && listRowElements().find((element) => readPageRow(element)?.id === from);
    if (row && document.activeElement === document.body) focusRow(row);
    const views = document.getElementById("views");
    const intoViews = (event: ToggleEvent) => {
      if (event.newState === "open") views?.querySelector("button")?.focus();
    };
    views?.addEventListener("toggle", intoViews);
    return () => views?.removeEventListener("toggle", intoViews);
  }, []);
}
