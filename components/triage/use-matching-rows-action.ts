"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { performBulkActionOnNextBatch } from "./actions.ts";
import type { BulkAction, MatchingRowsQuery, MatchingRowsBatchResult } from "./bulk-actions.ts";
import { useInbox } from "./inbox-state.tsx";

export type MatchingRowsActionRequest = { action: BulkAction; matching: MatchingRowsQuery; total: number };
type BulkRunEnd = "complete" | "stopped" | "broken";
export type MatchingRowsActionProgressData = {
  total: number;
  done: number;
  failed: MatchingRowsBatchResult["failed"];
  /** How it ended; undefined while it runs. */
  end?: BulkRunEnd;
};

/** Delay before the next try after RATE_LIMITED. */
const RATE_LIMIT_RETRY_MS = 10_000;

/**
 * Runs a bulk action on all matching rows, part after part. Asks for confirmation first, because it can't be
 * undone in one press.
 */
export function useMatchingRowsAction() {
  const router = useRouter();
  const { ticket, clearTicked } = useInbox();
  const [requested, setRequested] = useState<MatchingRowsActionRequest>();
  const [gone, setGone] = useState<MatchingRowsActionProgressData>();
  const stopping = useRef(false);

  async function go(): Promise<void> {
    if (!requested) return;
    stopping.current = false;
    setRequested(undefined);
    const initialRun: MatchingRowsActionProgressData = { total: requested.total, done: 0, failed: [] };
    setGone(initialRun);
    const finishedRun = await runAllParts(requested, initialRun, {
      ticket,
      onPart: setGone,
      isStopped: () => stopping.current,
    });
    clearTicked();
    setGone(finishedRun);
    if (finishedRun.end !== "complete") router.refresh();
  }

  return {
    requested,
    gone,
    ask: setRequested,
    go: () => void go(),
    cancel: () => setRequested(undefined),
    stop: () => void (stopping.current = true),
    forget: () => setGone(undefined),
  };
}

type PartPosition = { after: string | null; ticket: string };

type BulkRunObserver = {
  ticket: string;
  onPart: (gone: MatchingRowsActionProgressData) => void;
  isStopped: () => boolean;
};

async function runAllParts(
  { action, matching, total }: MatchingRowsActionRequest,
  initialRun: MatchingRowsActionProgressData,
  { ticket, onPart, isStopped }: BulkRunObserver,
): Promise<MatchingRowsActionProgressData> {
  let after: string | null = null;
  let { done, failed } = initialRun;
  for (;;) {
    const position: PartPosition = { after, ticket };
    const part: MatchingRowsBatchResult | undefined = await performBulkActionOnNextBatch(
      action,
      matching,
      position,
    ).catch(() => undefined);
    if (!part) return { total, done, failed, end: "broken" };
    done += part.done;
    failed = [...failed, ...part.failed];
    onPart({ total, done, failed });
    if (part.next === null && !part.wait) return { total, done, failed, end: "complete" };
    if (isStopped()) return { total, done, failed, end: "stopped" };
    after = part.next;
    if (part.wait) await new Promise((resolve) => setTimeout(resolve, RATE_LIMIT_RETRY_MS));
  }
}
