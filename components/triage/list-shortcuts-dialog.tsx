"use client";

import { useTranslator } from "#i18n";
import { KeyboardShortcutsDialog } from "#components/ui/keyboard-shortcuts-dialog.tsx";
import { saveDensityOrShortcutsAction } from "./actions.ts";

const LIST_KEYS = [
  [["j"], "down"],
  [["k"], "up"],
  [["o"], "open"],
  [["x"], "tick"],
  [["Shift", "x"], "tickTo"],
  [["a"], "assignMe"],
  [["Shift", "a"], "assign"],
  [["s"], "state"],
  [["v"], "severity"],
  [["p"], "pin"],
  [["u"], "unread"],
  [["."], "menu"],
  [["z"], "undo"],
  [["/"], "search"],
  [["g", "n"], "goNeedsUs"],
  [["g", "m"], "goMine"],
  [["g", "w"], "goWaiting"],
  [["g", "i"], "goOpen"],
  [["g", "f"], "goFinished"],
  [["Escape"], "back"],
  [["?"], "sheet"],
] as const;

/** The keyboard shortcuts of the list. */
export function InboxKeyboardShortcutsDialog(props: { keys: boolean; here: string; onClose: () => void }) {
  const t = useTranslator("inboxClient");
  const rows = LIST_KEYS.map(([pressed, keyAction]) => ({ pressed, does: t(`keys.${keyAction}`) }));
  const { keys, here, onClose } = props;
  return (
    <KeyboardShortcutsDialog
      where="list"
      rows={rows}
      on={keys}
      here={here}
      onPrefer={saveDensityOrShortcutsAction}
      onClose={onClose}
    />
  );
}
