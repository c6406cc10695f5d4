"use client";

import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState, useTransition } from "react";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { useTranslator } from "#i18n";
import {
  hasPendingFormSubmission,
  recordIncidentVersionByOthers,
  setRefreshForOthersPending,
} from "./version-field.tsx";
import { findVersionCheckReason, isPageOutdated, type VersionCheckReason } from "./version-check.ts";

type Props = {
  incidentId: string;
  /** The version that the page shows. */
  updatedAt: string;
  /** The values that the page shows, in words: title, status, severity and assignee. */
  values: readonly string[];
};

/** Live events that arrive within this time are checked together. */
const CHECK_DELAY_MS = 400;
/** Until then, the connection is usually up, and has led to the first check: except where another window holds it. */
const FIRST_CHECK_DELAY_MS = 3000;
/** How long a change stays marked. */
const MARK_DURATION_MS = 30_000;

/**
 * Fetches the incident's version while no form of this page is being sent. On a slow network, the live event of the
 * page's own change arrives before the response to its form; without the wait, the change would be taken for somebody
 * else's.
 */
async function fetchSettledVersion(incidentId: string): Promise<string | undefined> {
  for (;;) {
    while (hasPendingFormSubmission()) await new Promise((resolve) => setTimeout(resolve, CHECK_DELAY_MS));
    const current = await fetchVersion(incidentId);
    if (!hasPendingFormSubmission()) return current;
  }
}

/**
 * Keeps the page up to date: when somebody else changes the incident, refreshes the page and names the changed values
 * for a while, to screen readers too. New messages and notes stay hidden behind a bar: see hidden-new-entries.tsx.
 */
export function LiveIncidentRefresher({ incidentId, updatedAt, values }: Props) {
  const t = useTranslator("incidentClient");
  const { requestRefresh, takeRefresh } = useVisibleRefresh();
  const changedValues = useChangedValues(values, takeRefresh);
  useVersionChecks({ incidentId, updatedAt }, requestRefresh);

  return (
    <span role="status" className="no-print text-accent">
      {changedValues.length > 0 && t("changedNow", { values: changedValues.join(", ") })}
    </span>
  );
}

/**
 * Calls `onChange` when the page may be outdated: checks the version after live events, and once events arrive, since
 * nothing announces what changed between the rendering of the page and the start of the stream.
 */
function useVersionChecks({ incidentId, updatedAt }: Omit<Props, "values">, onChange: () => void): void {
  const reasons = useRef(new Set<VersionCheckReason>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const follow = useEffectEvent((current: string) => {
    const isOutdated = isPageOutdated({ shown: updatedAt, current }, reasons.current);
    reasons.current.clear();
    if (!isOutdated) return;
    if (current !== updatedAt) recordIncidentVersionByOthers(current);
    onChange();
  });
  const check = useEffectEvent(async () => {
    const current = await fetchSettledVersion(incidentId);
    if (current !== undefined) follow(current);
  });
  const schedule = useEffectEvent((reason: VersionCheckReason, delay: number) => {
    reasons.current.add(reason);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void check(), delay);
  });
  useEffect(() => {
    schedule("missedEvents", FIRST_CHECK_DELAY_MS);
    return () => clearTimeout(timer.current);
  }, []);
  useLiveUpdates((news) => {
    const reason = findVersionCheckReason(news, incidentId);
    if (reason) schedule(reason, CHECK_DELAY_MS);
  });
}

/** Refreshes the page once somebody can see it: a refresh counts as a view. */
function useVisibleRefresh() {
  const router = useRouter();
  const isExpected = useRef(false);
  const isWaiting = useRef(false);
  const [isRefreshing, startRefresh] = useTransition();
  useEffect(() => {
    setRefreshForOthersPending(isRefreshing);
    // Runs once the refreshed page is shown, so its forms still see the refresh as on its way.
    return () => setRefreshForOthersPending(false);
  }, [isRefreshing]);
  const refresh = () => {
    isWaiting.current = false;
    isExpected.current = true;
    startRefresh(() => router.refresh());
  };
  const onVisible = useEffectEvent(() => {
    if (isWaiting.current && !document.hidden) refresh();
  });
  useEffect(() => {
    const controller = new AbortController();
    document.addEventListener("visibilitychange", () => onVisible(), { signal: controller.signal });
    return () => controller.abort();
  }, []);
  return {
    requestRefresh: () => {
      if (document.hidden) isWaiting.current = true;
      else refresh();
    },
    /** Whether a refresh was requested since the last call. */
    takeRefresh: () => {
      const wasExpected = isExpected.current;
      isExpected.current = false;
      return wasExpected;
    },
  };
}

/** Returns the values that a refresh for somebody else's change has brought, for a while. */
function useChangedValues(values: readonly string[], takeRefresh: () => boolean): readonly string[] {
  const text = values.join("\n");
  const shown = useRef(text);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const onValues = useEffectEvent(() => {
    if (shown.current === text) return;
    const before = new Set(shown.current.split("\n"));
    shown.current = text;
    setChanged(takeRefresh() ? text.split("\n").filter((value) => !before.has(value)) : []);
  });
  useEffect(() => onValues(), [text]);
  useEffect(() => {
    if (changed.length === 0) return;
    const timer = setTimeout(() => setChanged([]), MARK_DURATION_MS);
    return () => clearTimeout(timer);
  }, [changed]);
  return changed;
}

/**
 * Fetches the incident's version from its row in the inbox, because that doesn't count as a view. Returns undefined if
 * the request fails, and a blank version if the reader may no longer see the incident.
 */
async function fetchVersion(incidentId: string): Promise<string | undefined> {
  try {
    const response = await fetch(`/inbox/rows?ids=${incidentId}`, { redirect: "error" });
    if (!response.ok) return undefined;
    const { rows } = (await response.json()) as { rows: { at: string }[] };
    return rows[0]?.at ?? "";
  } catch {
    return undefined;
  }
}
