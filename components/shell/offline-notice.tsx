"use client";

import { useSyncExternalStore } from "react";
import { useTranslator } from "#i18n";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { cloudOffIcon } from "#lib/design/icons.ts";

/**
 * Shown while the browser is offline: typed text stays, but submitting would fail. Sticky parts of a page stay below it,
 * by its height in `--offline-notice`.
 */
export function OfflineNotice() {
  const t = useTranslator("offline");
  const offline = useOffline();
  return (
    <div role="status" ref={publishHeight} className="no-print sticky top-0 z-40">
      {offline && (
        <p className="flex items-start justify-center gap-2 border-b border-caution bg-caution-soft px-4 py-2.5 text-ink">
          <IconWithoutScript of={cloudOffIcon} className="mt-0.5 text-caution" />
          <span className="max-w-[68ch]">{t("offline")}</span>
        </p>
      )}
    </div>
  );
}

/** Sets `--offline-notice` to the height of the notice, which depends on the width of the window and its font size. */
function publishHeight(notice: HTMLElement | null): (() => void) | undefined {
  if (!notice) return;
  const { style } = document.documentElement;
  const measure = new ResizeObserver(() => style.setProperty("--offline-notice", `${notice.offsetHeight}px`));
  measure.observe(notice);
  return () => {
    measure.disconnect();
    style.removeProperty("--offline-notice");
  };
}

/** Returns whether the browser is offline; false on the server and until hydration. */
export const useOffline = (): boolean =>
  useSyncExternalStore(
    subscribeToConnectivity,
    () => !navigator.onLine,
    () => false,
  );

function subscribeToConnectivity(changed: () => void): () => void {
  const subscription = new AbortController();
  for (const name of ["online", "offline"]) window.addEventListener(name, changed, subscription);
  return () => subscription.abort();
}
