import type { MouseEvent } from "react";

/** Uses the page's own quick exit if there is one, since it knows its event's exit URL. */
export function followPageQuickExit(press: MouseEvent): void {
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  if (!exit) return;
  press.preventDefault();
  exit.click();
}
