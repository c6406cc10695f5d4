"use client";

import { useEffect, useEffectEvent } from "react";
import { subscribeToLiveUpdates, type LiveUpdate } from "./live.ts";

/** Calls `onEvent` for live events while the component is mounted. */
export function useLiveUpdates(onEvent: (news: LiveUpdate) => void): void {
  const handleEvent = useEffectEvent(onEvent);
  useEffect(() => subscribeToLiveUpdates((news) => handleEvent(news)), []);
}
