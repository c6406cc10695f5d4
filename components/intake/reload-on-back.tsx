"use client";

import { useEffect } from "react";

/**
 * Makes "Back" load the earlier page from the service on a device that is handed over: the page is signed out by now,
 * but the router would show its cached content.
 */
export function ReloadOnBack() {
  useEffect(() => {
    const { pathname } = location;
    const onPopState = () => {
      if (location.pathname === pathname) return;
      document.body.hidden = true;
      location.reload();
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, []);
  return null;
}
