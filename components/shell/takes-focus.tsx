"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * Takes the focus where nothing has it: what was pressed is gone from the page by then, and the keyboard must not begin
 * at its top.
 */
export function FocusTarget({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  // Each time that it is shown anew: the same thing may have been done once more.
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
