"use client";

import { type ReactNode, useEffect, useState } from "react";

/**
 * Shows its children, the result of the last form, until a form of the page is submitted: the new submission may fail,
 * and an old success must not stay.
 */
export function HideOnSubmit({ children }: { children: ReactNode }) {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    const hide = () => setSent(true);
    document.addEventListener("submit", hide, true);
    return () => document.removeEventListener("submit", hide, true);
  }, []);
  return isSent ? null : children;
}
