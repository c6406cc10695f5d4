"use client";

import clsx from "clsx";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from "react";

type Props = {
  /** What is pressed to open it; give it words, or an icon with a label. */
  trigger: ReactNode;
  /** Looks of the trigger: `buttonClass("quiet")`. */
  triggerClass?: string;
  /** Which edge of the trigger the list keeps to. */
  align?: "start" | "end";
  className?: string;
  children: ReactNode;
};

/** A list of links and forms behind a button. It is a `<details>`; with script, Escape and leaving close it. */
export function Menu({ trigger, triggerClass, align = "end", className, children }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => details.current?.removeAttribute("open");

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || !details.current?.open) return;
    close();
    details.current.querySelector("summary")?.focus();
  }

  function onBlur(event: FocusEvent) {
    if (event.relatedTarget && !details.current?.contains(event.relatedTarget)) close();
  }

  return (
    <details
      ref={details}
      name="menu"
      className={clsx("no-print relative", className)}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <summary className={triggerClass}>{trigger}</summary>
      <div
        className={clsx(
          "absolute z-20 mt-2 grid w-max min-w-56 max-w-[calc(100vw-2rem)] gap-1 rounded-surface border border-edge bg-surface p-2",
          align === "end" ? "end-0" : "start-0",
        )}
      >
        {children}
      </div>
    </details>
  );
}
