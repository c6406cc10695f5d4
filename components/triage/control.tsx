"use client";

import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useWords } from "#words";
import { Notice } from "#components/ui/notice.tsx";
import { isPlainPress } from "#components/ui/plain-press.ts";
import { isSingleKey } from "#components/ui/single-keys.ts";
import { latinKey } from "#lib/design/latin-key.ts";
import { cameFrom } from "./came-from.ts";
import { type Choosing, DeedDialog, type Vocabulary } from "./deed-dialog.tsx";
import { addressOf, allIn, deedOf, unchosenIn } from "./forms.ts";
import { ListKeys } from "./key-sheet.tsx";
import { chosen, current, elements, factsOf, focusOn, move, tick, ticked, tickTo } from "./page-rows.ts";
import { AllMatching } from "./all-matching.tsx";
import { useAll } from "./use-all.ts";
import { type Said, useDeeds } from "./use-deeds.ts";

type Props = {
  actorId: string;
  /** Single keys do something. */
  keys: boolean;
  /** The path and query of this page, to come back to. */
  here: string;
  vocabulary: Vocabulary;
};

/** After g, the key of a place is waited for so long. */
const GO_MS = 1500;

/**
 * What the list does with script: keys, and deeds without leaving the page. It listens on the page as the server
 * made it; no row has script of its own.
 */
export function Control({ actorId, keys, here, vocabulary }: Props) {
  const router = useRouter();
  const { pending, said, canTakeBack, perform, takeBack } = useDeeds();
  const all = useAll();
  const [choosing, setChoosing] = useState<Choosing>();
  const [sheet, setSheet] = useState(false);
  const lastTicked = useRef<HTMLElement>(undefined);
  const beforeSearch = useRef<HTMLElement>(undefined);
  const goes = useRef(0);

  // A modal keeps the focus for itself, so it ends before the row gets it back.
  const close = (asked: Choosing) => {
    document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
    setChoosing(undefined);
    focusOn(asked.rows[0]?.element);
  };

  const choose = (mode: Choosing["mode"]) => {
    const rows = chosen();
    if (rows.length > 0) setChoosing({ mode, rows });
  };

  const commands: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    o: () => current()?.querySelector<HTMLElement>("a")?.click(),
    x: () => tick(current()),
    X: () => tickTo(lastTicked.current, current()),
    a: () => perform({ do: "assign", to: "me" }, chosen()),
    A: () => choose("assign"),
    s: () => choose("state"),
    v: () => choose("severity"),
    p: () => perform({ do: chosen().every(({ pinned }) => pinned) ? "unpin" : "pin" }, chosen()),
    u: () => perform({ do: "unread" }, chosen()),
    ".": () => choose("menu"),
    "/": () => {
      beforeSearch.current = current();
      searchField()?.focus();
      searchField()?.select();
    },
    "?": () => setSheet(true),
    z: takeBack,
    Escape: () => {
      for (const element of ticked()) tick(element, false);
    },
  };

  /** Back to where the search was begun; what was typed and not asked for goes. */
  const leaveSearch = (field: HTMLInputElement) => {
    field.value = field.defaultValue;
    const row = beforeSearch.current;
    if (row?.isConnected) focusOn(row);
    else move(1);
    if (document.activeElement === field) field.blur();
  };

  // A field keeps what was typed in it also where one has gone back to a list that asks for something else.
  const wentBack = useRef(false);
  useEffect(() => {
    const field = searchField();
    if (wentBack.current && field) field.value = field.defaultValue;
    wentBack.current = false;
  }, [here]);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const field = searchField();
    if (keys && field && event.target === field && isEscape(event)) {
      event.preventDefault();
      return leaveSearch(field);
    }
    if (!isSingleKey(event)) return;
    // The browser closes with it what lies over the page.
    if (isEscape(event) && document.querySelector(":popover-open")) return;
    const key = latinKey(event);
    const after = event.timeStamp - goes.current < GO_MS;
    goes.current = key === "g" ? event.timeStamp : -GO_MS;
    const place = after && document.querySelector<HTMLElement>(`[data-go="${CSS.escape(key)}"]`);
    const command = place ? () => place.click() : commands[key];
    if (!command || (!keys && key !== "?")) return;
    event.preventDefault();
    command();
  });

  const onClick = useEffectEvent((event: MouseEvent) => {
    const target = event.target as Element;
    if (target.closest("[data-select=page]")) for (const element of elements()) tick(element, true);
    const link = target.closest<HTMLAnchorElement>("#desk-area a[href]:not([data-choose])");
    if (!link || !isPlainPress(event) || event.defaultPrevented) return;
    event.preventDefault();
    document.getElementById("views")?.hidePopover();
    // A page that goes away with the focus in it is styled once more, all of it, only to take the focus from it.
    if (link.closest("[data-row]")) link.blur();
    router.push(link.getAttribute("href") ?? here);
  });

  const onSubmit = useEffectEvent((event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    if (form.id === "desk-filter") {
      event.preventDefault();
      return router.push(addressOf(form));
    }
    const unchosen = form.id === "desk" && unchosenIn(form, event.submitter);
    if (unchosen) {
      event.preventDefault();
      event.stopPropagation();
      return unchosen.focus();
    }
    const deed = form.id === "desk" && deedOf(form, event.submitter);
    if (!deed) return;
    event.preventDefault();
    event.stopPropagation();
    const one = event.submitter?.closest<HTMLElement>("[data-row]");
    const matching = one ? undefined : allIn(form);
    if (matching) return all.ask({ deed, matching, total: matching.total });
    perform(
      deed,
      (one ? [one] : ticked()).flatMap((element) => factsOf(element) ?? []),
    );
  });

  const onChange = useEffectEvent((event: Event) => {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (row) lastTicked.current = row;
  });

  useEffect(() => {
    const area = document.getElementById("desk-area");
    const over = new AbortController();
    const { signal } = over;
    document.addEventListener("keydown", (event) => onKey(event), { signal });
    document.addEventListener("click", (event) => onClick(event), { signal });
    // Before React, which would send the form for a new page.
    area?.addEventListener("submit", (event) => onSubmit(event), { signal, capture: true });
    area?.addEventListener("change", (event) => onChange(event), { signal });
    const from = cameFrom();
    const row = from && elements().find((element) => factsOf(element)?.id === from);
    if (row && document.activeElement === document.body) focusOn(row);
    const views = document.getElementById("views");
    const intoViews = (event: ToggleEvent) => {
      if (event.newState === "open") views?.querySelector("button")?.focus();
    };
    views?.addEventListener("toggle", intoViews, { signal });
    window.addEventListener("popstate", () => (wentBack.current = true), { signal });
    return () => over.abort();
  }, []);

  return (
    <>
      <Told said={said} pending={pending} {...(canTakeBack ? { onTakeBack: takeBack } : {})} />
      <AllMatching {...all} />
      <Counted />
      {choosing && (
        <DeedDialog
          {...choosing}
          actorId={actorId}
          vocabulary={vocabulary}
          onChoose={(mode) => setChoosing({ ...choosing, mode })}
          onClose={() => close(choosing)}
          onDeed={(deed) => {
            close(choosing);
            perform(deed, choosing.rows);
          }}
        />
      )}
      {sheet && <ListKeys keys={keys} here={here} onClose={() => setSheet(false)} />}
    </>
  );
}

const searchField = () => document.querySelector<HTMLInputElement>("#desk-filter [name=search]");

const isEscape = ({ key, defaultPrevented, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !defaultPrevented && !isComposing;

/** Over the list and not in it, so that no row moves. */
const PILL =
  "flex min-h-11 w-fit items-center gap-2 rounded-surface border border-edge bg-surface px-4 shadow-lg";

/** What was done, with the way back, and what could not be done, row by row. */
function Told({ said, pending, onTakeBack }: { said: Said; pending: boolean; onTakeBack?: () => void }) {
  const t = useWords("inboxClient");
  const { text, failures } = said;
  const partly = !pending && failures.length > 0;
  const undo = !pending && text && onTakeBack && (
    <button type="button" className="text-link min-h-11 px-2" onClick={onTakeBack}>
      {t("undo")}
    </button>
  );
  return (
    <>
      <div role="status" className={pending || (text && !partly) ? PILL : undefined}>
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

/** Tells the number of ticked rows, in the bar that the server made and to those who listen. */
function Counted() {
  const t = useWords("inboxClient");
  const [count, setCount] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const counted = () => queueMicrotask(() => setCount(ticked().length));
    document.addEventListener("change", counted, { signal: over.signal });
    document.addEventListener("reset", () => setTimeout(counted), { signal: over.signal });
    return () => over.abort();
  }, []);
  useEffect(() => {
    const output = document.getElementById("desk-count");
    if (output && count > 0) output.textContent = t("selected", { count });
  }, [count, t]);
  return null;
}
