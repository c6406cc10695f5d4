"use client";

import { useSyncExternalStore } from "react";

/** False on the server and until script has taken over, true from then on. */
export function useScripted(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

const never = () => () => {};
