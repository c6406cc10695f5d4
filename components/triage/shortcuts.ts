import { useRef } from "react";
import { useDocumentEvent } from "#components/ui/document-event.ts";
import { isSingleKeyShortcutPress } from "#components/ui/single-keys.ts";
import { toLatinKeyboardKey } from "#lib/design/latin-key.ts";
import type { BulkActionDialogState } from "./bulk-action-dialog.tsx";
import type { BulkAction } from "./bulk-actions.ts";
import { type InboxContextValue, listActionTargetRows } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";
import { findSearchField } from "./search-field.ts";

/** The command of each key. */
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
export function useInboxShortcuts({ keys, commands, leaveSearch }: ShortcutOptions): void {
  const goKeyPressedAt = useRef(0);
  useDocumentEvent("keydown", (event) => {
    const field = findSearchField();
    if (keys && field && event.target === field && isEscape(event)) {
      event.preventDefault();
      return leaveSearch(field);
    }
    if (!isSingleKeyShortcutPress(event)) return;
    // The browser closes an open popover with the same key.
    if (isEscape(event) && document.querySelector(":popover-open")) return;
    const key = toLatinKeyboardKey(event);
    const after = event.timeStamp - goKeyPressedAt.current < GO_KEY_TIMEOUT_MS;
    goKeyPressedAt.current = key === "g" ? event.timeStamp : -GO_KEY_TIMEOUT_MS;
    const place = after && document.querySelector<HTMLElement>(`[data-go="${CSS.escape(key)}"]`);
    const command = place ? () => place.click() : commands[key];
    if (!command || (!keys && key !== "?")) return;
    event.preventDefault();
    command();
  });
}

const isEscape = ({ key, defaultPrevented, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !defaultPrevented && !isComposing;

type RowCommandOptions = {
  inbox: InboxContextValue;
  perform: (action: BulkAction, rows: readonly InboxRowData[]) => void;
  /** Opens the dialog that asks for an action's input. */
  choose: (mode: BulkActionDialogState["mode"]) => void;
};

export function buildRowShortcutCommands({ inbox, perform, choose }: RowCommandOptions): Commands {
  const targets = () => listActionTargetRows(inbox);
  return {
    j: () => inbox.moveFocus(1),
    k: () => inbox.moveFocus(-1),
    o: () => inbox.openFocused(),
    x: () => toggleFocused(inbox),
    X: () => tickRange(inbox),
    a: () => perform({ do: "assign", to: "me" }, targets()),
    A: () => choose("assign"),
    s: () => choose("state"),
    v: () => choose("severity"),
    p: () => perform({ do: targets().every(({ pinned }) => pinned) ? "unpin" : "pin" }, targets()),
    u: () => perform({ do: "unread" }, targets()),
    ".": () => choose("menu"),
    Escape: () => inbox.clearTicked(),
  };
}

const isTickable = ({ team }: InboxRowData) => team === true;

function toggleFocused({ rows, ticked, findFocusedId, setTicked }: InboxContextValue): void {
  const focusedId = findFocusedId();
  const row = rows.find(({ id }) => id === focusedId);
  if (row && isTickable(row)) setTicked([row.id], !ticked.has(row.id));
}

/** Checks all rows from the last checked one to the focused one. */
function tickRange({ rows, lastTickedId, findFocusedId, setTicked }: InboxContextValue): void {
  const indexOf = (wanted: string | null | undefined) => rows.findIndex(({ id }) => id === wanted);
  const to = indexOf(findFocusedId());
  if (to < 0) return;
  const from = indexOf(lastTickedId);
  const [start, end] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
  const range = rows.slice(start, end + 1).filter(isTickable);
  setTicked(
    range.map(({ id }) => id),
    true,
  );
}
