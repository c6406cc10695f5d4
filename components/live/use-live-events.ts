"use client";

import { useEffect, useEffectEvent } from "react";
import { subscribeToLiveEvents, type LiveClientUpdate } from "./live.ts";

/** Calls `onEvent` for live events while the component is mounted. */
export function useLiveEvents(onEvent: (news: LiveClientUpdate) => void): void {
  const handleEvent = useEffectEvent(onEvent);
  useEffect(() => subscribeToLiveEvents((news) => handleEvent(news)), []);
}
