"use client";

import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslator } from "#words";
import { Notice } from "#components/ui/notice.tsx";
import { isPlainPress } from "#components/ui/plain-press.ts";
import { isShortcutKey } from "#components/ui/single-keys.ts";
import { toLatinKey } from "#lib/design/latin-key.ts";
import { takeLeftIncident } from "./came-from.ts";
import { type ActionChoice, BulkActionDialog, type TriageVocabulary } from "./deed-dialog.tsx";
import { buildListAddress, readAllMatching, readBulkAction, findUnchosenSeverity } from "./forms.ts";
import { ListKeySheet } from "./key-sheet.tsx";
import {
  listTargetRows,
  findFocusedRow,
  listRowElements,
  readPageRow,
  focusRow,
  move,
  setTicked,
  listTickedRows,
  tickRange,
} from "./page-rows.ts";
import { BulkRunDialog } from "./all-matching.tsx";
import { useBulkRun } from "./use-all.ts";
import { type BulkResult, useBulkActions } from "./use-deeds.ts";

type Props = {
  actorId: string;
  /** Whether single-key shortcuts are on. */
  keys: boolean;
  /** Path and query of this page, to return to. */
  here: string;
  vocabulary: TriageVocabulary;
};

/** How long the second key is awaited after g. */
const GO_KEY_TIMEOUT_MS = 1500;

/**
 * Keyboard shortcuts of the list, and actions without leaving the page. Listens on the server-rendered page;
 * rows have no script of their own.
 */
export function TriageController({ actorId, keys, here, vocabulary }: Props) {
  const router = useRouter();
  const { pending, said: result, canTakeBack: canUndo, perform, takeBack: undoLast } = useBulkActions();
  const all = useBulkRun();
  const [actionChoice, setActionChoice] = useState<ActionChoice>();
  const [isKeySheetOpen, setIsKeySheetOpen] = useState(false);
  const lastTicked = useRef<HTMLElement>(undefined);
  const focusBeforeSearch = useRef<HTMLElement>(undefined);
  const goKeyPressedAt = useRef(0);

  // A modal dialog traps the focus, so it closes before the row gets the focus back.
  const close = (asked: ActionChoice) => {
    document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
    setActionChoice(undefined);
    focusRow(asked.rows[0]?.element);
  };

  const choose = (mode: ActionChoice["mode"]) => {
    const rows = listTargetRows();
    if (rows.length > 0) setActionChoice({ mode, rows });
  };

  const commands: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    o: () => findFocusedRow()?.querySelector<HTMLElement>("a")?.click(),
    x: () => setTicked(findFocusedRow()),
    X: () => tickRange(lastTicked.current, findFocusedRow()),
    a: () => perform({ do: "assign", to: "me" }, listTargetRows()),
    A: () => choose("assign"),
    s: () => choose("state"),
    v: () => choose("severity"),
    p: () =>
      perform({ do: listTargetRows().every(({ pinned }) => pinned) ? "unpin" : "pin" }, listTargetRows()),
    u: () => perform({ do: "unread" }, listTargetRows()),
    ".": () => choose("menu"),
    "/": () => {
      focusBeforeSearch.current = findFocusedRow();
      findSearchField()?.focus();
      findSearchField()?.select();
    },
    "?": () => setIsKeySheetOpen(true),
    z: undoLast,
    Escape: () => {
      for (const element of listTickedRows()) setTicked(element, false);
    },
  };

  /** Returns to the row where the search began, and discards text that wasn't submitted. */
  const leaveSearch = (field: HTMLInputElement) => {
    field.value = field.defaultValue;
    const row = focusBeforeSearch.current;
    if (row?.isConnected) focusRow(row);
    else move(1);
    if (document.activeElement === field) field.blur();
  };

  // A field keeps its typed text even after going back to a list with another search.
  const leftIncidentId = useRef(false);
  useEffect(() => {
    const field = findSearchField();
    if (leftIncidentId.current && field) field.value = field.defaultValue;
    leftIncidentId.current = false;
  }, [here]);

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

  const onClick = useEffectEvent((event: MouseEvent) => {
    const target = event.target as Element;
    if (target.closest("[data-select=page]"))
      for (const element of listRowElements()) setTicked(element, true);
    const link = target.closest<HTMLAnchorElement>("#desk-area a[href]:not([data-choose])");
    if (!link || !isPlainPress(event) || event.defaultPrevented) return;
    event.preventDefault();
    document.getElementById("views")?.hidePopover();
    // If a page is removed with the focus inside, the browser restyles all of it to blur the element.
    if (link.closest("[data-row]")) link.blur();
    router.push(link.getAttribute("href") ?? here);
  });

  const onSubmit = useEffectEvent((event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    if (form.id === "desk-filter") {
      event.preventDefault();
      return router.push(buildListAddress(form));
    }
    const unchosen = form.id === "desk" && findUnchosenSeverity(form, event.submitter);
    if (unchosen) {
      event.preventDefault();
      event.stopPropagation();
      return unchosen.focus();
    }
    const action = form.id === "desk" && readBulkAction(form, event.submitter);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    const one = event.submitter?.closest<HTMLElement>("[data-row]");
    const matching = one ? undefined : readAllMatching(form);
    if (matching) return all.ask({ deed: action, matching, total: matching.total });
    perform(
      action,
      (one ? [one] : listTickedRows()).flatMap((element) => readPageRow(element) ?? []),
    );
  });

  const onChange = useEffectEvent((event: Event) => {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (row) lastTicked.current = row;
  });

  useEffect(() => {
    const area = document.getElementById("desk-area");
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener("keydown", (event) => onKey(event), { signal });
    document.addEventListener("click", (event) => onClick(event), { signal });
    // Captured before React, which would submit the form and load a new page.
    area?.addEventListener("submit", (event) => onSubmit(event), { signal, capture: true });
    area?.addEventListener("change", (event) => onChange(event), { signal });
    const from = takeLeftIncident();
    const row = from && listRowElements().find((element) => readPageRow(element)?.id === from);
    if (row && document.activeElement === document.body) focusRow(row);
    const views = document.getElementById("views");
    const intoViews = (event: ToggleEvent) => {
      if (event.newState === "open") views?.querySelector("button")?.focus();
    };
    views?.addEventListener("toggle", intoViews, { signal });
    window.addEventListener("popstate", () => (leftIncidentId.current = true), { signal });
    return () => controller.abort();
  }, []);

  return (
    <>
      <BulkResultToast said={result} pending={pending} {...(canUndo ? { onTakeBack: undoLast } : {})} />
      <BulkRunDialog {...all} />
      <TickedCount />
      {actionChoice && (
        <BulkActionDialog
          {...actionChoice}
          actorId={actorId}
          vocabulary={vocabulary}
          onChoose={(mode) => setActionChoice({ ...actionChoice, mode })}
          onClose={() => close(actionChoice)}
          onDeed={(action) => {
            close(actionChoice);
            perform(action, actionChoice.rows);
          }}
        />
      )}
      {isKeySheetOpen && <ListKeySheet keys={keys} here={here} onClose={() => setIsKeySheetOpen(false)} />}
    </>
  );
}

const findSearchField = () => document.querySelector<HTMLInputElement>("#desk-filter [name=search]");

const isEscape = ({ key, defaultPrevented, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !defaultPrevented && !isComposing;

/** Floats over the list, so that no row moves. */
const PILL_CLASS =
  "flex min-h-11 w-fit items-center gap-2 rounded-surface border border-edge bg-surface px-4 shadow-lg";

/** The result of an action, with Undo, and the rows it failed for. */
function BulkResultToast({
  said: result,
  pending,
  onTakeBack: onUndo,
}: {
  said: BulkResult;
  pending: boolean;
  onTakeBack?: () => void;
}) {
  const t = useTranslator("inboxClient");
  const { text, failures } = result;
  const partly = !pending && failures.length > 0;
  const undo = !pending && text && onUndo && (
    <button type="button" className="text-link min-h-11 px-2" onClick={onUndo}>
      {t("undo")}
    </button>
  );
  return (
    <>
      <div role="status" className={pending || (text && !partly) ? PILL_CLASS : undefined}>
        {pending ? t("working") : !partly && text}
        {!partly && undo}
      </div>
      {partly && (
        <Notice kind="warning" live title={text || t("failed", { count: failures.length })}>
          {undo && <div className="-ms-2">{undo}</div>}
          <ul className="grid gap-1">
            {failures.map(({ title, why }, at) => (
              <li key={`${at} ${title}`} className="wrap-anywhere">
                {t("failedRow", { title, why: t(`why.${why}`) })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

/** Shows the number of checked rows in the server-rendered bar, and announces it to screen readers. */
function TickedCount() {
  const t = useTranslator("inboxClient");
  const [count, setCount] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const updateCount = () => queueMicrotask(() => setCount(listTickedRows().length));
    document.addEventListener("change", updateCount, { signal: controller.signal });
    document.addEventListener("reset", () => setTimeout(updateCount), { signal: controller.signal });
    return () => controller.abort();
  }, []);
  useEffect(() => {
    const output = document.getElementById("desk-count");
    if (output && count > 0) output.textContent = t("selected", { count });
  }, [count, t]);
  return null;
}
