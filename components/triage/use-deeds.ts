"use client";

import { useEffect, useRef, useState, useTransition } from "react";
import { useWords } from "#words";
import { canReopen } from "#lib/incidents/lifecycle.ts";
import { act } from "./actions.ts";
import type { Deed, Outcome, Reason, RowRef } from "./deeds.ts";
import {
  focusAgain,
  placeOfFocus,
  type Row,
  tick,
  ticked,
  ticket,
  titleOf,
  unmarkChanged,
} from "./page-rows.ts";

/** What was done, and what was not; `text` counts both where it is some of each. */
export type Said = { text: string; failures: { title: string; why: Reason }[] };

type Back = { deed: Deed; row: RowRef };

const NOTHING: Said = { text: "", failures: [] };

/** Deeds on rows without leaving the page, what is said of them, and the way back from the last one. */
export function useDeeds() {
  const t = useWords("inboxClient");
  const [pending, startTransition] = useTransition();
  const [said, setSaid] = useState(NOTHING);
  const [back, setBack] = useState<readonly Back[]>([]);
  const say = (text: string) => setSaid({ text, failures: [] });
  const focused = useRef<ReturnType<typeof placeOfFocus>>(undefined);

  // A row that moves to another list, or out of this one, takes the focus with it into nothing.
  useEffect(() => {
    if (pending) return;
    if (focused.current) focusAgain(focused.current);
    focused.current = undefined;
  }, [pending]);

  /** Does it to the rows; those that it can't be done to stay ticked, with the reason. */
  function perform(deed: Deed, rows: readonly Row[]): void {
    if (rows.length === 0) return say(t("none"));
    begin(rows);
    focused.current = placeOfFocus() ?? focused.current;
    startTransition(async () => {
      const outcome = await act(deed, rows.map(refOf), ticket()).catch(() => undefined);
      end(rows);
      if (!outcome) return say(t("unreached"));
      setBack(wayBack(deed, rows, outcome));
      keepTicked(rows, outcome);
      setSaid({ text: textOf(deed, outcome), failures: failuresOf(rows, outcome) });
    });
  }

  function textOf(deed: Deed, { done, failed }: Outcome): string {
    const count = done.length;
    if (count === 0) return "";
    if (failed.length === 0) return t(`done.${deed.do}`, { count });
    return t(`partly.${deed.do}`, { count, total: count + failed.length });
  }

  /** Takes back what was done last. Rows may have been in different states, so each of these is a deed of its own. */
  function takeBack(): void {
    setBack([]);
    if (back.length === 0) return say(t("nothingToUndo"));
    focused.current = placeOfFocus() ?? focused.current;
    const groups = Map.groupBy(back, ({ deed }) => JSON.stringify(deed));
    startTransition(async () => {
      let failed = 0;
      for (const group of groups.values()) {
        const rows = group.map(({ row }) => row);
        const outcome = await act(group[0]?.deed, rows, ticket()).catch(() => undefined);
        failed += outcome?.failed.length ?? rows.length;
      }
      say(failed > 0 ? t("undoFailed", { count: failed }) : t("undone"));
    });
  }

  return { pending, said, canTakeBack: back.length > 0, perform, takeBack };
}

const refOf = ({ slug, id, eventId, at, state }: RowRef): RowRef => ({ slug, id, eventId, at, state });

/** When a row was changed from here, so that the news of it is none. */
const touched = new Map<string, number>();
const OWN_NEWS_MS = 5000;

/** Did this page change the incident just now? */
export const isOwnDeed = (id: string): boolean => (touched.get(id) ?? 0) > Date.now() - OWN_NEWS_MS;

function begin(rows: readonly Row[]): void {
  for (const { element, id } of rows) {
    element.dataset.busy = "";
    touched.set(id, Date.now());
  }
}

/** The page was read anew, so nothing in it is older than what was heard. */
function end(rows: readonly Row[]): void {
  for (const { element } of rows) delete element.dataset.busy;
  unmarkChanged();
}

function keepTicked(rows: readonly Row[], { failed }: Outcome): void {
  if (rows.length < 2 && ticked().length === 0) return;
  const kept = new Set(failed.map(({ id }) => id));
  for (const { element, id } of rows) tick(element, kept.has(id));
}

const failuresOf = (rows: readonly Row[], { failed }: Outcome): Said["failures"] =>
  failed.flatMap(({ id, why }) => {
    const row = rows.find((one) => one.id === id);
    return row ? [{ title: titleOf(row.element), why }] : [];
  });

function wayBack(deed: Deed, rows: readonly Row[], { done }: Outcome): Back[] {
  return done.flatMap(({ id, at }) => {
    const row = rows.find((one) => one.id === id);
    if (!row || !canGoBack(deed, row)) return [];
    return [{ deed: inverseOf(deed, row), row: { ...refOf(row), at } }];
  });
}

/**
 * A move across the line between open and done leaves a mark of its own (`reopenedAt`, `resolvedAt`; contract 7.5), which
 * no second move takes off.
 */
const canGoBack = (deed: Deed, { state }: RowRef): boolean =>
  (deed.do !== "state" && deed.do !== "restore") || canReopen(deed.state) === canReopen(state);

/** What takes a deed back. */
function inverseOf(deed: Deed, row: Row): Deed {
  switch (deed.do) {
    case "assign":
      return { do: "assign", to: row.assignee };
    case "acknowledge":
    case "state":
    case "restore":
      return { do: "restore", state: row.state };
    case "severity":
      return { do: "severity", severity: row.severity };
    default:
      return { do: ({ pin: "unpin", unpin: "pin", unread: "read", read: "unread" } as const)[deed.do] };
  }
}
