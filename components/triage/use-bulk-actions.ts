"use client";

import { useEffect, useEffectEvent, useRef, useState, useTransition } from "react";
import { useTranslator } from "#i18n";
import type { Translator } from "#components/i18n/translator.ts";
import { applyBulkActionAndRefresh } from "./actions.ts";
import type { BulkAction, BulkActionResult, BulkFailureReason, IncidentRowSnapshot } from "./bulk-actions.ts";
import { type InboxContextValue, useInbox } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";

/** The result of a bulk action: a text with the numbers of changed and failed rows, and the failures. */
export type DisplayedBulkActionResult = {
  text: string;
  failures: { title: string; why: BulkFailureReason }[];
};

/** The action that undoes the last one, and the rows that the last one changed. */
type Undo = { action: BulkAction; rows: readonly IncidentRowSnapshot[] };

const EMPTY_RESULT: DisplayedBulkActionResult = { text: "", failures: [] };

/** Performs actions on rows without leaving the page, shows their result, and can undo the last one. */
export function useBulkActions() {
  const t = useTranslator("inboxClient");
  const inbox = useInbox();
  const { pending, send } = useOwnChanges(inbox);
  const [result, setResult] = useState(EMPTY_RESULT);
  const [undo, setUndo] = useState<Undo>();
  const showText = (text: string) => setResult({ text, failures: [] });

  /** Applies the action to the rows; rows that fail stay checked, with the reason. */
  function perform(action: BulkAction, rows: readonly InboxRowData[]): void {
    if (rows.length === 0) return showText(t("none"));
    const request = () =>
      applyBulkActionAndRefresh(action, rows.map(toRowSnapshot), inbox.ticket).catch(() => undefined);
    send(rows, request, (outcome) => {
      if (!outcome) return showText(t("unreached"));
      setUndo(buildUndo(action, rows, outcome));
      keepFailedRowsTicked(inbox, rows, outcome);
      setResult({ text: describeResult(action, outcome, t), failures: describeFailures(rows, outcome) });
    });
  }

  /** Undoes the last action. */
  function undoLast(): void {
    setUndo(undefined);
    if (!undo) return showText(t("nothingToUndo"));
    const { action, rows } = undo;
    const request = () => applyBulkActionAndRefresh(action, rows, inbox.ticket).catch(() => undefined);
    send(rows, request, (outcome) => {
      const failed = outcome?.failed.length ?? rows.length;
      showText(failed > 0 ? t("undoFailed", { count: failed }) : t("undone"));
    });
  }

  return { pending, result, canUndo: undo !== undefined, perform, undoLast };
}

/**
 * Sends changes of rows and shows the result. Records them as this page's own, so that their live events are ignored.
 */
function useOwnChanges(inbox: InboxContextValue) {
  const [pending, startTransition] = useTransition();
  const rememberFocus = useFocusRestorer(pending, inbox);
  function send<T>(rows: readonly { id: string }[], request: () => Promise<T>, show: (outcome: T) => void) {
    rememberChanges(inbox, rows);
    rememberFocus();
    startTransition(async () => {
      const outcome = await request();
      forgetChanges(inbox);
      show(outcome);
    });
  }
  return { pending, send };
}

/**
 * Restores the focus after a change, since a row that moves or leaves the list loses it.
 * @returns a function that remembers where the focus is; it is restored once nothing is pending
 */
function useFocusRestorer(
  pending: boolean,
  { rows, findFocusedId, focusRow }: InboxContextValue,
): () => void {
  const focusPosition = useRef<{ id: string; at: number }>(undefined);
  const restoreFocus = useEffectEvent(() => {
    const { id, at } = focusPosition.current ?? {};
    focusPosition.current = undefined;
    if (id === undefined || at === undefined || document.activeElement !== document.body) return;
    focusRow(rows.some((row) => row.id === id) ? id : rows[Math.min(at, rows.length - 1)]?.id);
  });
  useEffect(() => {
    if (!pending) restoreFocus();
  }, [pending]);
  return () => {
    const id = findFocusedId();
    if (id) focusPosition.current = { id, at: rows.findIndex((row) => row.id === id) };
  };
}

function describeResult(
  action: BulkAction,
  { done, failed }: BulkActionResult,
  t: Translator<"inboxClient">,
): string {
  const count = done.length;
  if (count === 0) return "";
  if (failed.length === 0) return t(`done.${action.do}`, { count });
  return t(`partly.${action.do}`, { count, total: count + failed.length });
}

const toRowSnapshot = ({ slug, id, eventId, at, state }: IncidentRowSnapshot): IncidentRowSnapshot => ({
  slug,
  id,
  eventId,
  at,
  state,
});

/** The time at which this page changed a row, by the row's id: the live event of that change is ignored. */
const changedAt = new Map<string, number>();
const OWN_CHANGE_WINDOW_MS = 5000;

/** Returns whether this page changed the incident just now. */
export const wasJustChangedByThisPage = (id: string): boolean =>
  (changedAt.get(id) ?? 0) > Date.now() - OWN_CHANGE_WINDOW_MS;

function rememberChanges(inbox: InboxContextValue, rows: readonly { id: string }[]): void {
  inbox.setBusy(rows.map(({ id }) => id));
  for (const { id } of rows) changedAt.set(id, Date.now());
}

/** The page was refreshed, so all earlier change marks are obsolete. */
function forgetChanges(inbox: InboxContextValue): void {
  inbox.setBusy([]);
  inbox.clearChanged();
}

function keepFailedRowsTicked(
  inbox: InboxContextValue,
  rows: readonly InboxRowData[],
  { failed }: BulkActionResult,
): void {
  if (rows.length < 2 && inbox.ticked.size === 0) return;
  const failedIds = new Set(failed.map(({ id }) => id));
  const ids = rows.map(({ id }) => id);
  inbox.setTicked(
    ids.filter((id) => !failedIds.has(id)),
    false,
  );
  inbox.setTicked([...failedIds], true);
}

const describeFailures = (
  rows: readonly InboxRowData[],
  { failed }: BulkActionResult,
): DisplayedBulkActionResult["failures"] =>
  failed.flatMap(({ id, why }) => {
    const row = rows.find((one) => one.id === id);
    return row ? [{ title: row.title, why }] : [];
  });

/** Returns undefined if no row was changed. */
function buildUndo(
  action: BulkAction,
  rows: readonly InboxRowData[],
  { done }: BulkActionResult,
): Undo | undefined {
  const changedRows = done.flatMap(({ id, at }) => {
    const row = rows.find((one) => one.id === id);
    return row ? [{ ...toRowSnapshot(row), at }] : [];
  });
  return changedRows.length > 0 ? { action: invertAction(action), rows: changedRows } : undefined;
}

/** Returns the action that undoes an action on a row. */
function invertAction(action: BulkAction): BulkAction {
  switch (action.do) {
    case "assign":
    case "acknowledge":
    case "state":
    case "severity":
    case "undo":
      return { do: "undo" };
    default:
      return { do: ({ pin: "unpin", unpin: "pin", unread: "read", read: "unread" } as const)[action.do] };
  }
}
