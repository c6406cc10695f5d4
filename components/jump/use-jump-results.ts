"use client";

import { useEffect, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import type { RunnableJumpCommand } from "./commands.ts";
import {
  type JumpResultsByKind,
  EMPTY_JUMP_RESULTS,
  filterJumpTargetsByLabel,
  type JumpTarget,
  type JumpTargetGroup,
  buildJumpTargetGroups,
  buildMatchingCommandGroup,
} from "./targets.ts";

/** Delay before a search is sent, so that it isn't sent for each letter. */
const SEARCH_DELAY_MS = 150;
const MIN_SEARCH_LENGTH = 2;

type JumpSearchState = "tooShort" | "searching" | "empty" | "failed" | "keys";

/**
 * Returns the results of the search: commands and `pages` at once, everything else from the server. Drops responses to
 * outdated text.
 */
export function useJumpResults(
  search: string,
  pages: readonly JumpTarget[],
  commands: readonly RunnableJumpCommand[],
): { groups: JumpTargetGroup[]; state: JumpSearchState } {
  const searchText = search.trim();
  const t = useTranslator("jump");
  const locale = useLocale();
  const [answer, setAnswer] = useState<{ searchText: string; found: JumpResultsByKind | null }>({
    searchText: "",
    found: EMPTY_JUMP_RESULTS,
  });

  useEffect(() => {
    if (searchText.length < MIN_SEARCH_LENGTH) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const found = await fetchJumpResults({ search: searchText, language: locale }, controller.signal);
      if (!controller.signal.aborted) setAnswer({ searchText, found });
    }, SEARCH_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [searchText, locale]);

  const known = searchText.length >= MIN_SEARCH_LENGTH && answer.searchText === searchText;
  const groups = [
    ...buildMatchingCommandGroup(commands, searchText),
    ...buildJumpTargetGroups(
      (known && answer.found) || EMPTY_JUMP_RESULTS,
      filterJumpTargetsByLabel(pages, searchText),
      (page) => t(`page.${page}`),
    ),
  ];
  return {
    groups,
    state: getSearchState({ searchText, known, failed: answer.found === null, nothing: groups.length === 0 }),
  };
}

async function fetchJumpResults(
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<JumpResultsByKind | null> {
  try {
    const reply = await fetch(`/api/users/me/jump?${new URLSearchParams(query)}`, { signal });
    return reply.ok ? ((await reply.json()) as JumpResultsByKind) : null;
  } catch {
    return null;
  }
}

type SearchProgress = { searchText: string; known: boolean; failed: boolean; nothing: boolean };

function getSearchState({ searchText, known, failed, nothing }: SearchProgress): JumpSearchState {
  if (searchText.length < MIN_SEARCH_LENGTH) return searchText.length === 0 ? "keys" : "tooShort";
  if (!known) return "searching";
  if (failed) return "failed";
  return nothing ? "empty" : "keys";
}
