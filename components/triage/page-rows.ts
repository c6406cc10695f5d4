import type { Severity } from "#lib/incidents/schema.ts";
import { parseRowRef, type IncidentRowRef } from "./bulk-actions.ts";

/** Reads and changes the rows of the list in the page, for actions with script. */

export type PageRow = IncidentRowRef & {
  element: HTMLElement;
  severity: Severity | "";
  assignee: string;
  pinned: boolean;
  unread: boolean;
};

export const listRowElements = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row]")];

/** Returns the ticket of the account that the page was rendered for, from the list's form. */
export const readPageTicket = (): string =>
  document.querySelector<HTMLInputElement>("form#desk input[name=ticket]")?.value ?? "";

const findCheckbox = (element: Element) => element.querySelector<HTMLInputElement>("input[name=row]");

export function readPageRow(element: HTMLElement): PageRow | undefined {
  const ref = parseRowRef(element.dataset.row);
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

/** Returns the title, without the labels before it. */
export const readRowTitle = (element: Element): string =>
  element.querySelector("a")?.lastChild?.textContent?.trim() ?? "";

/** Returns the row that has the focus. */
export const findFocusedRow = (): HTMLElement | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-row]") ?? undefined;

export const listTickedRows = (): HTMLElement[] =>
  listRowElements().filter((element) => findCheckbox(element)?.checked);

/** Returns the rows a shortcut applies to: the checked ones, else the focused one. */
export function listTargetRows(): PageRow[] {
  const tickedRows = listTickedRows();
  const focusedRow = findFocusedRow();
  const targets = tickedRows.length > 0 ? tickedRows : focusedRow ? [focusedRow] : [];
  return targets.flatMap((element) => readPageRow(element) ?? []);
}

export function focusRow(element: HTMLElement | undefined): void {
  element?.querySelector<HTMLElement>("a")?.focus();
}

/** Remembers the focused row, to find it after the list is refreshed. */
export function readFocusPosition(): { id: string | undefined; at: number } | undefined {
  const focusedRow = findFocusedRow();
  return focusedRow && { id: readPageRow(focusedRow)?.id, at: listRowElements().indexOf(focusedRow) };
}

/**
 * Focuses that row wherever it is now, else the row at its position. Does nothing if the focus is elsewhere
 * by now.
 */
export function restoreFocus({ id, at }: { id: string | undefined; at: number }): void {
  if (document.activeElement !== document.body) return;
  const all = listRowElements();
  focusRow(all.find((element) => readPageRow(element)?.id === id) ?? all[Math.min(at, all.length - 1)]);
}

/** Moves the focus one row down or up; from outside the list, to its first row. */
export function move(by: 1 | -1): void {
  const all = listRowElements();
  const focusedRow = findFocusedRow();
  const at = focusedRow ? all.indexOf(focusedRow) + by : 0;
  focusRow(all[Math.max(0, Math.min(all.length - 1, at))]);
}

export function setTicked(element: HTMLElement | undefined, checked?: boolean): void {
  const box = element && findCheckbox(element);
  if (!box) return;
  box.checked = checked ?? !box.checked;
  box.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Checks all rows from the last checked one to the focused one. */
export function tickRange(from: HTMLElement | undefined, to: HTMLElement | undefined): void {
  const all = listRowElements();
  if (!to) return;
  const [start, end] = [all.indexOf(from ?? to), all.indexOf(to)].toSorted((a, b) => a - b);
  for (const element of all.slice(Math.max(0, start ?? 0), (end ?? 0) + 1)) setTicked(element, true);
}

/** Marks a row as changed since it was rendered, after its other labels. */
export function markRowChanged(element: HTMLElement, text: string): void {
  if (element.dataset.changed !== undefined) return;
  element.dataset.changed = "";
  const label = Object.assign(document.createElement("span"), { textContent: text });
  label.dataset.news = "";
  element.querySelector("p")?.append(label);
}

export function clearChangedMarks(): void {
  for (const element of listRowElements()) delete element.dataset.changed;
  for (const label of document.querySelectorAll("[data-row] [data-news]")) label.remove();
}
