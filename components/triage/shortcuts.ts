import { useEffect, useEffectEvent, useRef } from "react";
import { isShortcutKey } from "#components/ui/single-keys.ts";
import { toLatinKey } from "#lib/design/latin-key.ts";
import type { ActionChoice } from "./bulk-action-dialog.tsx";
import type { BulkAction } from "./bulk-actions.ts";
import {
  findFocusedRow,
  listTargetRows,
  listTickedRows,
  move,
  type PageRow,
  setTicked,
  tickRange,
} from "./page-rows.ts";
import { findSearchField } from "./search-field.ts";

/** What each key does. */
type Commands = Record<string, () => void>;

/** How long the second key is awaited after g. */
const GO_KEY_TIMEOUT_MS = 1500;

type ShortcutOptions = {
  /** Whether single-key shortcuts are on. */
  keys: boolean;
  commands: Commands;
  leaveSearch: (field: HTMLInputElement) => void;
};

/** Runs the command of a pressed key; after g, the next key follows the link that has it in `data-go`. */
export function useShortcuts({ keys, commands, leaveSearch }: ShortcutOptions): void {
  const goKeyPressedAt = useRef(0);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const field = findSearchField();
    if (keys && field && event.target === field && isEscape(event)) {
      event.preventDefault();
      return leaveSearch(field);
    }
    if (!isShortcutKey(event)) return;
    // The browser closes an open popover with the same key.
    if (isEscape(event) && document.querySelector(":popover-open")) return;
    const key = toLatinKey(event);
    const after = event.timeStamp - goKeyPressedAt.current < GO_KEY_TIMEOUT_MS;
    goKeyPressedAt.current = key === "g" ? event.timeStamp : -GO_KEY_TIMEOUT_MS;
    const place = after && document.querySelector<HTMLElement>(`[data-go="${CSS.escape(key)}"]`);
    const command = place ? () => place.click() : commands[key];
    if (!command || (!keys && key !== "?")) return;
    event.preventDefault();
    command();
  });
  useEffect(() => {
    const controller = new AbortController();
    document.addEventListener("keydown", (event) => onKey(event), { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

const isEscape = ({ key, defaultPrevented, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !defaultPrevented && !isComposing;

type RowCommandOptions = {
  perform: (action: BulkAction, rows: readonly PageRow[]) => void;
  /** Opens the dialog that asks for an action's input. */
  choose: (mode: ActionChoice["mode"]) => void;
  lastTickedRow: () => HTMLElement | undefined;
};

export const buildRowCommands = ({ perform, choose, lastTickedRow }: RowCommandOptions): Commands => ({
  j: () => move(1),
  k: () => move(-1),
  o: () => findFocusedRow()?.querySelector<HTMLElement>("a")?.click(),
  x: () => setTicked(findFocusedRow()),
  X: () => tickRange(lastTickedRow(), findFocusedRow()),
  a: () => perform({ do: "assign", to: "me" }, listTargetRows()),
  A: () => choose("assign"),
  s: () => choose("state"),
  v: () => choose("severity"),
  p: () =>
    perform({ do: listTargetRows().every(({ pinned }) => pinned) ? "unpin" : "pin" }, listTargetRows()),
  u: () => perform({ do: "unread" }, listTargetRows()),
  ".": () => choose("menu"),
  Escape: () => {
    for (const element of listTickedRows()) setTicked(element, false);
  },
});
