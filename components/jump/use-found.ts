"use client";

import { useEffect, useState } from "react";
import { useLocale, useWords } from "#words";
import { type Found, NOTHING, pagesNamed, type Target, type TargetGroup, targetsOf } from "./targets.ts";

/** Waits until the fingers rest. */
const PAUSE_MS = 150;
const SHORTEST = 2;

type State = "tooShort" | "searching" | "empty" | "failed" | "keys";

/** What the words find: pages at once, everything else from the server. An answer to older words is dropped. */
export function useFound(search: string, pages: readonly Target[]): { groups: TargetGroup[]; state: State } {
  const words = search.trim();
  const t = useWords("jump");
  const locale = useLocale();
  const [answer, setAnswer] = useState<{ words: string; found: Found | null }>({ words: "", found: NOTHING });

  useEffect(() => {
    if (words.length < SHORTEST) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const found = await ask({ search: words, language: locale }, stop.signal);
      if (!stop.signal.aborted) setAnswer({ words, found });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words, locale]);

  const known = words.length >= SHORTEST && answer.words === words;
  const groups = targetsOf((known && answer.found) || NOTHING, pagesNamed(pages, words), (page) =>
    t(`page.${page}`),
  );
  return {
    groups,
    state: stateOf({ words, known, failed: answer.found === null, nothing: groups.length === 0 }),
  };
}

async function ask(query: Record<string, string>, signal: AbortSignal): Promise<Found | null> {
  try {
    const reply = await fetch(`/api/users/me/jump?${new URLSearchParams(query)}`, { signal });
    return reply.ok ? ((await reply.json()) as Found) : null;
  } catch {
    return null;
  }
}

type Facts = { words: string; known: boolean; failed: boolean; nothing: boolean };

function stateOf({ words, known, failed, nothing }: Facts): State {
  if (words.length < SHORTEST) return words.length === 0 ? "keys" : "tooShort";
  if (!known) return "searching";
  if (failed) return "failed";
  return nothing ? "empty" : "keys";
}
