"use client";

import { useEffect, useRef } from "react";
import { useFormContext } from "#components/ui/form-context.ts";

/** Placed in a form of a menu: closes the menu once the form has succeeded. */
export function CloseMenuOnSuccess() {
  const { state } = useFormContext();
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const menu = state.ok && place.current?.closest("details");
    if (!menu) return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus({ preventScroll: true });
  }, [state]);
  return <span ref={place} hidden />;
}
