"use client";

import { useEffect } from "react";
import { useTranslator } from "#i18n";
import { isPageLeavingLinkClick } from "#components/ui/page-leaving-click.ts";
import { clearUnsentTexts, hasUnsentTexts } from "./unsent-text.ts";

/** Asks before navigation discards unsent text. Filters of the same page keep the text, so they don't ask. */
export function UnsentTextGuard() {
  const t = useTranslator("incidentClient");
  useEffect(() => {
    const question = t("leave");
    const onBeforeUnload = (event: BeforeUnloadEvent) => {
      if (hasUnsentTexts()) event.preventDefault();
    };
    const onLinkClick = (event: MouseEvent) => {
      if (!hasUnsentTexts() || !isNavigationAway(event)) return;
      if (window.confirm(question)) return clearUnsentTexts();
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", onBeforeUnload);
    document.addEventListener("click", onLinkClick, true);
    return () => {
      window.removeEventListener("beforeunload", onBeforeUnload);
      document.removeEventListener("click", onLinkClick, true);
    };
  }, [t]);
  return null;
}

/** Returns whether a click leads to another page; filters of this page keep unsent text. */
function isNavigationAway(event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  return link !== null && link.pathname !== location.pathname && isPageLeavingLinkClick(event);
}
