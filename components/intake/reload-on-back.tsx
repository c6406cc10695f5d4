"use client";

import { useEffect } from "react";

/**
 * On a device that is handed over, "Back" asks the service for the earlier page, which is signed out by now. The router
 * would show that page as it was.
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
