import { useEffect, useRef } from "react";
import type { InboxContextValue } from "./inbox-state.tsx";

export const findSearchField = () => document.querySelector<HTMLInputElement>("#inbox-filter [name=search]");

/** Moves the focus into the search field and back to the row where the search began. */
export function useSearchFieldFocus(here: string, inbox: InboxContextValue) {
  const idBeforeSearch = useRef<string>(undefined);
  useResetAfterBack(here);

  const enter = () => {
    idBeforeSearch.current = inbox.findFocusedId();
    findSearchField()?.focus();
    findSearchField()?.select();
  };

  /** Returns to the row where the search began, and discards text that wasn't submitted. */
  const leave = (field: HTMLInputElement) => {
    field.value = field.defaultValue;
    if (inbox.rows.some(({ id }) => id === idBeforeSearch.current)) inbox.focusRow(idBeforeSearch.current);
    else inbox.moveFocus(1);
    if (document.activeElement === field) field.blur();
  };

  return { enter, leave };
}

/** Resets the search field after going back: it would otherwise keep its text while the list shows another search. */
function useResetAfterBack(here: string): void {
  const wentBack = useRef(false);
  useEffect(() => {
    const field = findSearchField();
    if (wentBack.current && field) field.value = field.defaultValue;
    wentBack.current = false;
  }, [here]);
  useEffect(() => {
    const onPopState = () => (wentBack.current = true);
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, []);
}
