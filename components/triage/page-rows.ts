import type { Severity } from "#lib/incidents/schema.ts";
import { rowOf, type RowRef } from "./deeds.ts";

/** The rows of the list as they stand in the page, for what is done with script. */

export type Row = RowRef & {
  element: HTMLElement;
  severity: Severity | "";
  assignee: string;
  pinned: boolean;
  unread: boolean;
};

export const elements = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row]")];

/** For whom the page was made, as the form of the list says it. */
export const ticket = (): string =>
  document.querySelector<HTMLInputElement>("form#desk input[name=ticket]")?.value ?? "";

const boxOf = (element: Element) => element.querySelector<HTMLInputElement>("input[name=row]");

export function factsOf(element: HTMLElement): Row | undefined {
  const ref = rowOf(element.dataset.row);
  if (!ref) return undefined;
  const { severity = "", assignee = "", pinned, unread } = element.dataset;
  return {
    ...ref,
    element,
    severity: severity as Severity | "",
    assignee,
    pinned: pinned !== undefined,
    unread: unread !== undefined,
  };
}

/** The title, without what is said of it before. */
export const titleOf = (element: Element): string =>
  element.querySelector("a")?.lastChild?.textContent?.trim() ?? "";

/** The one that the focus is in. */
export const current = (): HTMLElement | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-row]") ?? undefined;

export const ticked = (): HTMLElement[] => elements().filter((element) => boxOf(element)?.checked);

/** What a key is meant for: the ticked ones, else the one that the focus is in. */
export function chosen(): Row[] {
  const marked = ticked();
  const here = current();
  const meant = marked.length > 0 ? marked : here ? [here] : [];
  return meant.flatMap((element) => factsOf(element) ?? []);
}

export function focusOn(element: HTMLElement | undefined): void {
  element?.querySelector<HTMLElement>("a")?.focus();
}

/** The row that the focus is in, to be found again when the list has been read anew. */
export function placeOfFocus(): { id: string | undefined; at: number } | undefined {
  const here = current();
  return here && { id: factsOf(here)?.id, at: elements().indexOf(here) };
}

/** Back into that row, wherever it is now; into the one at its place where it has gone. Not where it is elsewhere by now. */
export function focusAgain({ id, at }: { id: string | undefined; at: number }): void {
  if (document.activeElement !== document.body) return;
  const all = elements();
  focusOn(all.find((element) => factsOf(element)?.id === id) ?? all[Math.min(at, all.length - 1)]);
}

/** Goes a row down or up; from outside of the list to its first row. */
export function move(by: 1 | -1): void {
  const all = elements();
  const here = current();
  const at = here ? all.indexOf(here) + by : 0;
  focusOn(all[Math.max(0, Math.min(all.length - 1, at))]);
}

export function tick(element: HTMLElement | undefined, checked?: boolean): void {
  const box = element && boxOf(element);
  if (!box) return;
  box.checked = checked ?? !box.checked;
  box.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Ticks everything from the row that was ticked last to the one that the focus is in. */
export function tickTo(from: HTMLElement | undefined, to: HTMLElement | undefined): void {
  const all = elements();
  if (!to) return;
  const [start, end] = [all.indexOf(from ?? to), all.indexOf(to)].toSorted((a, b) => a - b);
  for (const element of all.slice(Math.max(0, start ?? 0), (end ?? 0) + 1)) tick(element, true);
}

/** Says that a row isn't as it is any more, behind what else is said of it. */
export function markChanged(element: HTMLElement, words: string): void {
  if (element.dataset.changed !== undefined) return;
  element.dataset.changed = "";
  const said = Object.assign(document.createElement("span"), { textContent: words });
  said.dataset.news = "";
  element.querySelector("p")?.append(said);
}

export function unmarkChanged(): void {
  for (const element of elements()) delete element.dataset.changed;
  for (const said of document.querySelectorAll("[data-row] [data-news]")) said.remove();
}
