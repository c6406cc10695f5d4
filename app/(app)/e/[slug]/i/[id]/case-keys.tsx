"use client";

import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { preferAction } from "#components/triage/actions.ts";
import { KeySheet } from "#components/ui/key-sheet.tsx";
import { isSingleKey } from "#components/ui/single-keys.ts";
import { useWords } from "#words";

type Props = {
  /** Single keys do something. */
  on: boolean;
  /** The path and query of this page, to come back to. */
  here: string;
  previous: string | null;
  next: string | null;
};

/** The keys of a report that was opened from a list: on to the next, back to the one before, and the sheet. */
export function CaseKeys({ on, here, previous, next }: Props) {
  const t = useWords("caseTeam");
  const router = useRouter();
  const [sheet, setSheet] = useState(false);
  const go = (href: string | null) => href && router.push(href);
  const commands: Record<string, () => void> = {
    j: () => void go(next),
    k: () => void go(previous),
    "?": () => setSheet(true),
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isSingleKey(event)) return;
    const command = commands[event.key];
    if (!command || (!on && event.key !== "?")) return;
    event.preventDefault();
    command();
  });

  useEffect(() => {
    const over = new AbortController();
    document.addEventListener("keydown", (event) => onKey(event), { signal: over.signal });
    return () => over.abort();
  }, []);

  const rows = [
    { pressed: ["j"], does: t("keys.next") },
    { pressed: ["k"], does: t("keys.previous") },
    { pressed: ["?"], does: t("keys.sheet") },
  ];
  return sheet ? (
    <KeySheet rows={rows} on={on} here={here} onPrefer={preferAction} onClose={() => setSheet(false)} />
  ) : null;
}
