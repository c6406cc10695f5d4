"use client";

import { useSyncExternalStore } from "react";

/** False on the server and until script has taken over, true from then on. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}

const subscribeToNothing = () => () => {};
