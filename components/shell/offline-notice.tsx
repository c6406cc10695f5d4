"use client";

import { type Ref, useSyncExternalStore } from "react";
import { useTranslator } from "#i18n";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { cloudOffIcon } from "#lib/design/icons.ts";

/** Shown while the browser is offline: typed text stays, but submitting would fail. */
export function OfflineNotice({ ref }: { ref?: Ref<HTMLDivElement> }) {
  const t = useTranslator("offline");
  const offline = useOffline();
  return (
    <div role="status" ref={ref} className="no-print sticky top-0 z-40">
      {offline && (
        <p className="flex items-start justify-center gap-2 border-b border-caution bg-caution-soft px-4 py-2.5 text-ink">
          <IconWithoutScript of={cloudOffIcon} className="mt-0.5 text-caution" />
          <span className="max-w-[68ch]">{t("offline")}</span>
        </p>
      )}
    </div>
  );
}

/** Returns whether the browser is offline; false on the server and until hydration. */
const useOffline = (): boolean =>
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
