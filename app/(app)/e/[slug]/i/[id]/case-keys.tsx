"use client";

import { useRouter } from "next/navigation";
import { useEffectEvent, useLayoutEffect, useState } from "react";
import { hasDrafts } from "#components/incident/unsent.ts";
import { rememberLeftIncident } from "#components/triage/came-from.ts";
import { savePreferenceAction } from "#components/triage/actions.ts";
import { KeySheet } from "#components/ui/key-sheet.tsx";
import { isShortcutKey } from "#components/ui/single-keys.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { toLatinKey } from "#lib/design/latin-key.ts";
import { useTranslator } from "#i18n";

type Props = {
  /** Whether single-key shortcuts are on. */
  on: boolean;
  /** Path and query of this page, to return to. */
  here: string;
  incidentId: string;
  /**
   * Address of the list the incident was opened from, and the adjacent incidents in it; null if it wasn't
   * opened from a list.
   */
  list: string | null;
  previous: string | null;
  next: string | null;
};

/** Buttons that the shortcuts press, where the page has them. */
const TAKE_BUTTON_SELECTOR = "#take button[type=submit]";
const PIN_BUTTON_SELECTOR = "[data-pin] button";

/**
 * Keyboard shortcuts of an incident: move through the list it was opened from and back to it, single-press
 * actions, and the shortcut sheet.
 */
export function IncidentKeys({ on, here, incidentId, list, previous, next }: Props) {
  const t = useTranslator("caseTeam");
  const router = useRouter();
  const [sheet, setSheet] = useState(false);
  const go = (href: string | null) => href && router.push(href);
  const commands: Record<string, () => void> = {
    ...(list !== null && {
      j: () => void go(next),
      k: () => void go(previous),
      Escape: () => {
        if (hasUnsentText()) return;
        rememberLeftIncident(incidentId);
        go(list);
      },
    }),
    a: () => clickElement(TAKE_BUTTON_SELECTOR),
    p: () => clickElement(PIN_BUTTON_SELECTOR),
    "?": () => setSheet(true),
  };

  useShortcuts(commands, on);

  if (!sheet) return null;
  const close = () => setSheet(false);
  return (
    <KeySheet
      where="report"
      rows={listShortcuts(t, list !== null)}
      on={on}
      here={here}
      onPrefer={savePreferenceAction}
      onClose={close}
    />
  );
}

/** Runs the command of a pressed key. If shortcuts are off, only the key of the shortcut sheet works. */
function useShortcuts(commands: Record<string, () => void>, on: boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isShortcutKey(event)) return;
    const key = toLatinKey(event);
    const command = commands[key];
    if (!command || (!on && key !== "?")) return;
    event.preventDefault();
    command();
  });

  // A layout effect, so that a key pressed right after the next incident renders is not lost.
  useLayoutEffect(() => {
    const controller = new AbortController();
    document.addEventListener("keydown", (event) => onKey(event), { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

const listShortcuts = (t: Translator<"caseTeam">, inList: boolean) => [
  ...(inList
    ? [
        { pressed: ["j"], does: t("keys.next") },
        { pressed: ["k"], does: t("keys.previous") },
        { pressed: ["Escape"], does: t("keys.toList") },
      ]
    : []),
  { pressed: ["a"], does: t("keys.take") },
  { pressed: ["p"], does: t("keys.pin") },
  { pressed: ["?"], does: t("keys.sheet") },
];

const clickElement = (button: string): void => document.querySelector<HTMLElement>(button)?.click();

/** Returns whether there is unsent text; shortcuts then don't navigate away. */
const hasUnsentText = (): boolean =>
  hasDrafts() ||
  [...document.querySelectorAll("textarea")].some(
    (field) => field.value !== field.defaultValue && field.checkVisibility(),
  );
