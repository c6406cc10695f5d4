import { useEffect, useRef } from "react";
import { findFocusedRow, focusRow, move } from "./page-rows.ts";

export const findSearchField = () => document.querySelector<HTMLInputElement>("#desk-filter [name=search]");

/** Moves the focus into the search field and back to the row where the search began. */
export function useSearchField(here: string) {
  const focusBeforeSearch = useRef<HTMLElement>(undefined);
  useResetAfterBack(here);

  const enter = () => {
    focusBeforeSearch.current = findFocusedRow();
    findSearchField()?.focus();
    findSearchField()?.select();
  };

  /** Returns to the row where the search began, and discards text that wasn't submitted. */
  const leave = (field: HTMLInputElement) => {
    field.value = field.defaultValue;
    const row = focusBeforeSearch.current;
    if (row?.isConnected) focusRow(row);
    else move(1);
    if (document.activeElement === field) field.blur();
  };

  return { enter, leave };
}

/** A field keeps its typed text even after going back to a list with another search. */
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
