"use client";

import { useWords } from "#words";
import { KeySheet } from "#components/ui/key-sheet.tsx";
import { preferAction } from "./actions.ts";

const KEYS = [
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
  [["g", "i"], "goAll"],
  [["g", "m"], "goMine"],
  [["g", "u"], "goUnassigned"],
  [["g", "a"], "goAnswer"],
  [["g", "d"], "goOverdue"],
  [["Escape"], "back"],
  [["?"], "sheet"],
] as const;

/** The keys of the list. */
export function ListKeys(props: { keys: boolean; here: string; onClose: () => void }) {
  const t = useWords("inboxClient");
  const rows = KEYS.map(([pressed, deed]) => ({ pressed, does: t(`keys.${deed}`) }));
  return (
    <KeySheet rows={rows} on={props.keys} here={props.here} onPrefer={preferAction} onClose={props.onClose} />
  );
}
