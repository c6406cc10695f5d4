"use client";

import { LogOut } from "lucide-react";
import { useEffect } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";

/** A page that nobody wonders about. */
const ELSEWHERE = "https://www.wikipedia.org/";
const PRESSES = 3;
const WITHIN_MS = 5000;

/**
 * The way out, always in sight: a plain link without script. With script it blanks the page first and takes
 * this page's place in the history; pressing Shift three times does the same.
 */
export function QuickExit() {
  useEffect(watchShift, []);
  return (
    <div className="no-print fixed inset-x-0 bottom-0 z-30 border-t border-line bg-paper p-2 sm:inset-x-auto sm:end-4 sm:top-4 sm:bottom-auto sm:border-0 sm:bg-transparent sm:p-0">
      <a
        href={ELSEWHERE}
        rel="noreferrer nofollow"
        className={buttonClass("danger", "w-full sm:w-auto")}
        onClick={(event) => {
          event.preventDefault();
          leave();
        }}
      >
        <Icon as={LogOut} />
        Leave this page quickly
      </a>
    </div>
  );
}

function leave(): void {
  document.title = "";
  document.body.replaceChildren();
  window.location.replace(ELSEWHERE);
}

/** Shift alone, three times within five seconds. Shift for a capital letter doesn't count. */
function watchShift(): () => void {
  let times: number[] = [];
  let alone = false;
  const down = (event: KeyboardEvent) => {
    alone = event.key === "Shift";
    if (!alone) times = [];
  };
  const up = (event: KeyboardEvent) => {
    if (event.key !== "Shift" || !alone) return;
    const now = Date.now();
    times = [...times.filter((at) => now - at < WITHIN_MS), now];
    if (times.length >= PRESSES) leave();
  };
  document.addEventListener("keydown", down);
  document.addEventListener("keyup", up);
  return () => {
    document.removeEventListener("keydown", down);
    document.removeEventListener("keyup", up);
  };
}
