"use client";

import { useEffect, useState } from "react";
import { useLocale, useTranslator } from "#words";
import {
  type JumpResults,
  EMPTY_JUMP_RESULTS,
  filterPagesByName,
  type JumpTarget,
  type JumpTargetGroup,
  groupJumpTargets,
} from "./targets.ts";

/** Waits for a pause in typing. */
const SEARCH_DELAY_MS = 150;
const MIN_SEARCH_LENGTH = 2;

type JumpSearchState = "tooShort" | "searching" | "empty" | "failed" | "keys";

/**
 * Returns the results of the search: pages at once, everything else from the server. Drops responses to
 * outdated text.
 */
export function useJumpResults(
  search: string,
  pages: readonly JumpTarget[],
): { groups: JumpTargetGroup[]; state: JumpSearchState } {
  const words = search.trim();
  const t = useTranslator("jump");
  const locale = useLocale();
  const [answer, setAnswer] = useState<{ words: string; found: JumpResults | null }>({
    words: "",
    found: EMPTY_JUMP_RESULTS,
  });

  useEffect(() => {
    if (words.length < MIN_SEARCH_LENGTH) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const found = await fetchJumpResults({ search: words, language: locale }, controller.signal);
      if (!controller.signal.aborted) setAnswer({ words, found });
    }, SEARCH_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [words, locale]);

  const known = words.length >= MIN_SEARCH_LENGTH && answer.words === words;
  const groups = groupJumpTargets(
    (known && answer.found) || EMPTY_JUMP_RESULTS,
    filterPagesByName(pages, words),
    (page) => t(`page.${page}`),
  );
  return {
    groups,
    state: getSearchState({ words, known, failed: answer.found === null, nothing: groups.length === 0 }),
  };
}

async function fetchJumpResults(
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<JumpResults | null> {
  try {
    const reply = await fetch(`/api/users/me/jump?${new URLSearchParams(query)}`, { signal });
    return reply.ok ? ((await reply.json()) as JumpResults) : null;
  } catch {
    return null;
  }
}

type SearchProgress = { words: string; known: boolean; failed: boolean; nothing: boolean };

function getSearchState({ words, known, failed, nothing }: SearchProgress): JumpSearchState {
  if (words.length < MIN_SEARCH_LENGTH) return words.length === 0 ? "keys" : "tooShort";
  if (!known) return "searching";
  if (failed) return "failed";
  return nothing ? "empty" : "keys";
}
