"use client";

import clsx from "clsx";
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useRef,
} from "react";
import { useDocumentEvent } from "./document-event.ts";

type Props = {
  /** Content of the button that opens it: text, or an icon with a label. */
  trigger: ReactNode;
  /** Classes of the button: `buildButtonClass("quiet")`. */
  triggerClass: string;
  /** Edge of the button that the list aligns with. */
  align?: "start" | "end";
  /** Opens upward in a bar at the bottom of a narrow screen, and downward elsewhere. */
  foot?: boolean;
  className?: string;
  children: ReactNode;
};

/**
 * A list of links and forms behind a button. It is a `<details>`; with script, Escape, a press or focus
 * outside, and choosing an item close it, and the arrow keys move through it.
 */
export function Menu({ trigger, triggerClass, align = "end", foot = false, className, children }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => details.current?.removeAttribute("open");

  useOutsidePress(details, close);

  function onBlur(event: FocusEvent) {
    if (event.relatedTarget && !details.current?.contains(event.relatedTarget)) close();
  }

  function onClick(event: MouseEvent) {
    const used = event.target instanceof Element && event.target.closest("a, button[aria-haspopup]");
    if (used && !used.closest("summary")) close();
  }

  return (
    <details
      ref={details}
      name="menu"
      className={clsx("no-print relative", className)}
      onKeyDown={(event) => handleMenuKey(event, details.current)}
      onBlur={onBlur}
      onClick={onClick}
    >
      <summary className={triggerClass}>{trigger}</summary>
      <div className={clsx("menu-list", align === "end" ? "end-0" : "start-0", foot ? FOOT_CLASS : "mt-2")}>
        {children}
      </div>
    </details>
  );
}

const FOOT_CLASS = "max-[50rem]:bottom-full max-[50rem]:mb-2 min-[50rem]:mt-2";

function useOutsidePress(details: RefObject<HTMLDetailsElement | null>, close: () => void): void {
  useDocumentEvent("pointerdown", (event) => {
    if (event.target instanceof Node && !details.current?.contains(event.target)) close();
  });
}

/** Escape closes the menu, and the arrow keys move through it. */
function handleMenuKey(event: KeyboardEvent, details: HTMLDetailsElement | null): void {
  if (!details?.open) return;
  if (event.key === "Escape") {
    event.preventDefault();
    details.removeAttribute("open");
    details.querySelector("summary")?.focus();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || isTextInput(event.target)) return;
  event.preventDefault();
  focusMenuItem(details, step);
}

const isTextInput = (target: EventTarget) =>
  target instanceof Element && target.matches("input, select, textarea");

function focusMenuItem(details: HTMLDetailsElement, step: number): void {
  const items = [...details.querySelectorAll<HTMLElement>("summary, a, button")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}
