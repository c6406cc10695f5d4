"use client";

import { useEffect, useState } from "react";
import { useTranslator } from "#i18n";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { QuickExitBar } from "./exit-bar.tsx";
import {
  deleteStoredReportDrafts,
  followQuickExitOfOtherWindows,
  hasQuickExitCookie,
  performQuickExit,
} from "./traces.ts";

const SHIFT_PRESSES = 3;
const SHIFT_WINDOW_MS = 5000;

type Props = {
  /** URL of the exit, chosen by the event. */
  to: string;
  /** Slug of that event; null for the default URL. */
  event: string | null;
  /** Positioned below the header bar of the signed-in pages. */
  belowBar?: boolean;
};

/**
 * The quick exit with script: blanks the page, replaces it in the history, deletes what the service stored on the
 * device, and signs out without waiting. Pressing Shift three times does the same.
 */
export function QuickExit({ to, event, belowBar }: Props) {
  const t = useTranslator("quickExit");
  const leave = { leave: t("leave") };
  const scripted = useHydrated();
  const [pressesLeft, setPressesLeft] = useState(SHIFT_PRESSES);
  useEffect(() => deleteStoredReportDrafts(""), []);
  useEffect(reloadOnBackNavigation, []);
  useEffect(reserveRoomForBar, []);
  useEffect(() => followQuickExitOfOtherWindows(to), [to]);
  useEffect(
    () =>
      watchShiftPresses((pressed) =>
        pressed < SHIFT_PRESSES ? setPressesLeft(SHIFT_PRESSES - pressed) : performQuickExit(to),
      ),
    [to],
  );
  return (
    <QuickExitBar
      event={event}
      belowBar={belowBar}
      onLeave={(press) => {
        press.preventDefault();
        performQuickExit(to);
      }}
    >
      {/* Both texts share one grid cell, so the page doesn't move when script takes over and the other text shows. */}
      <p className="grid *:col-start-1 *:row-start-1">
        <span className={`pointer-coarse:hidden ${scripted ? "" : "invisible"}`}>
          {t("leaveHonestly", leave)}
        </span>
        <span className={scripted ? "invisible pointer-coarse:visible" : undefined}>
          {t("leavePlainly", leave)}
        </span>
      </p>
      <p role="status" className="sr-only">
        {pressesLeft < SHIFT_PRESSES && t("leaveSoon", { left: pressesLeft })}
      </p>
    </QuickExitBar>
  );
}

/** Reports how often Shift was pressed alone within five seconds. Shift with another key doesn't count. */
function watchShiftPresses(onPress: (pressed: number) => void): () => void {
  let times: number[] = [];
  let isShiftAlone = false;
  const onKeyDown = (event: KeyboardEvent) => {
    isShiftAlone = event.key === "Shift";
    if (!isShiftAlone && times.length > 0) onPress((times = []).length);
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== "Shift" || !isShiftAlone) return;
    const now = Date.now();
    times = [...times.filter((at) => now - at < SHIFT_WINDOW_MS), now];
    onPress(times.length);
  };
  document.addEventListener("keydown", onKeyDown);
  document.addEventListener("keyup", onKeyUp);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    document.removeEventListener("keyup", onKeyUp);
  };
}

/** Blanks and reloads a page that "Back" restores from the back/forward cache after the quick exit. */
function reloadOnBackNavigation(): () => void {
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted || !hasQuickExitCookie()) return;
    document.body.hidden = true;
    location.reload();
  };
  window.addEventListener("pageshow", onPageShow);
  return () => window.removeEventListener("pageshow", onPageShow);
}

/**
 * Reserves space so that the page ends above the bar and focused elements are never under it; the bar's
 * height depends on text and font size.
 */
function reserveRoomForBar(): (() => void) | undefined {
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
