"use client";

import { useRouter } from "next/navigation";
import { useEffectEvent, useLayoutEffect, useState } from "react";
import { hasUnsentTexts } from "#components/incident/unsent-text.ts";
import { rememberLastViewedIncident } from "#components/triage/last-viewed-incident.ts";
import { type RunnableJumpCommand, useRegisterJumpCommands } from "#components/jump/commands.ts";
import { saveDensityOrShortcutsAction } from "#components/triage/actions.ts";
import { KeyboardShortcutsDialog } from "#components/ui/keyboard-shortcuts-dialog.tsx";
import { isSingleKeyShortcutPress } from "#components/ui/single-keys.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { toLatinKeyboardKey } from "#lib/design/latin-key.ts";
import { useTranslator } from "#i18n";

type Props = {
  /** Whether single-key shortcuts are on. */
  on: boolean;
  /** Path and query of this page, to return to. */
  here: string;
  incidentId: string;
  /**
   * URL of the list the incident was opened from, and the adjacent incidents in it; null if it wasn't opened from a
   * list.
   */
  list: string | null;
  previous: string | null;
  next: string | null;
};

/** Selectors of the elements that the shortcuts press, if the page has them. The inbox has the same keys. */
const TAKE_BUTTON_SELECTOR = "#take button[type=submit]";
const PIN_BUTTON_SELECTOR = "[data-pin] button";
const UNDO_BUTTON_SELECTOR = "[data-undo]";
const MARK_NEW_SELECTOR = "[data-mark-new]";
const MENU_SELECTOR = "[data-more] summary";

/**
 * Keyboard shortcuts of an incident: move through the list it was opened from and back to it, single-press
 * actions, and the shortcut sheet.
 */
export function IncidentKeyboardShortcuts({ on, here, incidentId, list, previous, next }: Props) {
  const t = useTranslator("incidentTeam");
  const router = useRouter();
  const [sheet, setSheet] = useState(false);
  const go = (href: string | null) => href && router.push(href);
  const listCommands = {
    j: () => void go(next),
    k: () => void go(previous),
    Escape: () => {
      if (hasUnsentText()) return;
      rememberLastViewedIncident(incidentId);
      go(list);
    },
  };
  const commands = {
    ...(list !== null && listCommands),
    ...PAGE_COMMANDS,
    "?": () => setSheet(true),
  };

  useIncidentShortcuts(commands, on);
  useRegisterJumpCommands(listPageCommands);

  if (!sheet) return null;
  const close = () => setSheet(false);
  return (
    <KeyboardShortcutsDialog
      where="report"
      rows={listShortcuts(t, list !== null)}
      on={on}
      here={here}
      onPrefer={saveDensityOrShortcutsAction}
      onClose={close}
    />
  );
}

const PAGE_COMMANDS: Record<string, () => void> = {
  a: () => clickElement(TAKE_BUTTON_SELECTOR),
  A: () => openElement("[data-keys=A] summary"),
  s: () => focusElement("[data-keys=s] button"),
  v: () => focusElement("[data-keys=v] button"),
  p: () => clickElement(PIN_BUTTON_SELECTOR),
  u: () => clickElement(MARK_NEW_SELECTOR),
  z: () => clickElement(UNDO_BUTTON_SELECTOR),
  ".": () => openElement(MENU_SELECTOR),
};

/** Runs the command of a pressed key. If shortcuts are off, only the key of the shortcut sheet works. */
function useIncidentShortcuts(commands: Record<string, () => void>, on: boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isSingleKeyShortcutPress(event)) return;
    if (moveInGroup(event)) return event.preventDefault();
    const key = toLatinKeyboardKey(event);
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

const listShortcuts = (t: Translator<"incidentTeam">, inList: boolean) => [
  ...(inList
    ? [
        { pressed: ["j"], does: t("keys.next") },
        { pressed: ["k"], does: t("keys.previous") },
        { pressed: ["Escape"], does: t("keys.toList") },
      ]
    : []),
  { pressed: ["a"], does: t("keys.take") },
  { pressed: ["Shift", "a"], does: t("keys.assign") },
  { pressed: ["s"], does: t("keys.state") },
  { pressed: ["v"], does: t("keys.severity") },
  { pressed: ["p"], does: t("keys.pin") },
  { pressed: ["u"], does: t("keys.unread") },
  { pressed: ["."], does: t("keys.menu") },
  { pressed: ["z"], does: t("keys.undo") },
  { pressed: ["?"], does: t("keys.sheet") },
];

const clickElement = (button: string): void => document.querySelector<HTMLElement>(button)?.click();

const focusElement = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus();

/** Opens a menu and focuses its button, from which the arrow keys move into the menu. */
function openElement(summary: string): void {
  focusElement(summary);
  clickElement(summary);
}

/** Moves the focus to the button before or after, within a group that a key leads to. */
function moveInGroup(event: KeyboardEvent): boolean {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const group = (event.target as Element).closest("[data-keys]:not(:has(details))");
  if (!step || !group) return false;
  const buttons = [...group.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
  return true;
}

/** Lists the commands of the page's own buttons, for the quick jump. */
const listPageCommands = (): RunnableJumpCommand[] =>
  [...document.querySelectorAll<HTMLElement>("[data-command]")].map((button) => ({
    label: button.dataset.command ?? "",
    about: "",
    run: () => button.click(),
  }));

/** Returns whether there is unsent text; shortcuts then don't navigate away. */
const hasUnsentText = (): boolean =>
  hasUnsentTexts() ||
  [...document.querySelectorAll("textarea")].some(
    (field) => field.value !== field.defaultValue && field.checkVisibility(),
  );
