"use client";

import { useEffect, useEffectEvent } from "react";
import { listen, type News } from "./live.ts";

/** Hears the news of the service while the component is shown. */
export function useNews(onNews: (news: News) => void): void {
  const hear = useEffectEvent(onNews);
  useEffect(() => listen((news) => hear(news)), []);
}
