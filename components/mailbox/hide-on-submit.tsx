"use client";

import { type ReactNode, useEffect, useState } from "react";

/** Shows the result of the last form until the next one is sent, which may fail. */
export function HideOnSubmit({ children }: { children: ReactNode }) {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    const hide = () => setSent(true);
    document.addEventListener("submit", hide, true);
    return () => document.removeEventListener("submit", hide, true);
  }, []);
  return isSent ? null : children;
}
