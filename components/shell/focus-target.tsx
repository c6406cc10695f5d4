"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * Takes the focus if nothing has it: the pressed element is gone from the page, and keyboard users must not
 * start at the top.
 */
export function LostFocusTarget({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  // Runs on every render, because the same action may have been repeated.
  useEffect(() => {
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body) place.current?.focus({ preventScroll: true });
  });
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      {children}
    </div>
  );
}
