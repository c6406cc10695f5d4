"use client";

import { useEffect, useState } from "react";
import { useWords } from "#words";
import { useScripted } from "#components/ui/scripted.ts";
import { LEFT_COOKIE } from "#lib/design/left-cookie.ts";
import { ExitBar } from "./exit-bar.tsx";
import { dropDrafts, leaveQuickly, leaveWithOthers } from "./traces.ts";

const PRESSES = 3;
const WITHIN_MS = 5000;

type Props = {
  /** Where it leads: an address that the event chose. */
  to: string;
  /** Short name of that event; null where no event chose. */
  event: string | null;
  /** Keeps clear of the bar of the signed-in pages. */
  belowBar?: boolean;
};

/**
 * The way out with script: it blanks the page first, takes this page's place in the history, clears what the service
 * kept on the device, and signs out on the way, without waiting for it; pressing Shift three times does the same.
 */
export function QuickExit({ to, event, belowBar }: Props) {
  const t = useWords("quickExit");
  const leave = { leave: t("leave") };
  const scripted = useScripted();
  const [left, setLeft] = useState(PRESSES);
  useEffect(() => dropDrafts("old"), []);
  useEffect(askWhenBroughtBack, []);
  useEffect(keepRoomForBar, []);
  useEffect(() => leaveWithOthers(to), [to]);
  useEffect(
    () => watchShift((pressed) => (pressed < PRESSES ? setLeft(PRESSES - pressed) : leaveQuickly(to))),
    [to],
  );
  return (
    <ExitBar
      event={event}
      belowBar={belowBar}
      onLeave={(press) => {
        press.preventDefault();
        leaveQuickly(to);
      }}
    >
      <p>
        {scripted && <span className="pointer-coarse:hidden">{t("leaveHonestly", leave)}</span>}
        <span className={scripted ? "hidden pointer-coarse:inline" : undefined}>
          {t("leavePlainly", leave)}
        </span>
      </p>
      <p role="status" className="sr-only">
        {left < PRESSES && t("leaveSoon", { left })}
      </p>
    </ExitBar>
  );
}

/** Tells how often Shift was pressed alone within five seconds. Shift for a capital letter doesn't count. */
function watchShift(tell: (pressed: number) => void): () => void {
  let times: number[] = [];
  let alone = false;
  const down = (event: KeyboardEvent) => {
    alone = event.key === "Shift";
    if (!alone && times.length > 0) tell((times = []).length);
  };
  const up = (event: KeyboardEvent) => {
    if (event.key !== "Shift" || !alone) return;
    const now = Date.now();
    times = [...times.filter((at) => now - at < WITHIN_MS), now];
    tell(times.length);
  };
  document.addEventListener("keydown", down);
  document.addEventListener("keyup", up);
  return () => {
    document.removeEventListener("keydown", down);
    document.removeEventListener("keyup", up);
  };
}

/** A page that "Back" brings out of the browser's memory after the quick exit shows nothing, and is asked for anew. */
function askWhenBroughtBack(): () => void {
  const shown = ({ persisted }: PageTransitionEvent) => {
    if (!persisted || !document.cookie.includes(`${LEFT_COOKIE}=`)) return;
    document.body.hidden = true;
    location.reload();
  };
  window.addEventListener("pageshow", shown);
  return () => window.removeEventListener("pageshow", shown);
}

/** The page ends above the bar, and what has the focus is never under it: how high it is depends on words and letters. */
function keepRoomForBar(): (() => void) | undefined {
  const bar = document.querySelector<HTMLElement>(".exit-bar");
  if (!bar) return;
  const { style } = document.documentElement;
  const measure = new ResizeObserver(() => style.setProperty("--exit-bar", `${bar.offsetHeight + 8}px`));
  measure.observe(bar);
  return () => {
    measure.disconnect();
    style.removeProperty("--exit-bar");
  };
}
