"use client";

import { useEffect, useEffectEvent } from "react";
import { subscribeToLiveEvents, type LiveUpdate } from "./live.ts";

/** Hears the news of the service while the component is shown. */
export function useLiveEvents(onEvent: (news: LiveUpdate) => void): void {
  const handleEvent = useEffectEvent(onEvent);
  useEffect(() => subscribeToLiveEvents((news) => handleEvent(news)), []);
}
