"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { performBulkActionOnPart } from "./actions.ts";
import type { BulkAction, MatchingRows, BulkPartResult } from "./bulk-actions.ts";
import { useInbox } from "./inbox-state.tsx";

export type RequestedBulkRun = { action: BulkAction; matching: MatchingRows; total: number };
type BulkRunEnd = "complete" | "stopped" | "broken";
export type BulkRun = {
  total: number;
  done: number;
  failed: BulkPartResult["failed"];
  /** How it ended; undefined while it runs. */
  end?: BulkRunEnd;
};

/** Delay before the next try after RATE_LIMITED. */
const RATE_LIMIT_RETRY_MS = 10_000;

/**
 * Runs a bulk action on all matching rows, part after part. Asks for confirmation first, because it can't be
 * undone in one press.
 */
export function useBulkRun() {
  const router = useRouter();
  const { ticket, clearTicked } = useInbox();
  const [requested, setRequested] = useState<RequestedBulkRun>();
  const [gone, setGone] = useState<BulkRun>();
  const stopping = useRef(false);

  async function go(): Promise<void> {
    if (!requested) return;
    stopping.current = false;
    setRequested(undefined);
    const initialRun: BulkRun = { total: requested.total, done: 0, failed: [] };
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

type BulkRunObserver = { ticket: string; onPart: (gone: BulkRun) => void; isStopped: () => boolean };

async function runAllParts(
  { action, matching, total }: RequestedBulkRun,
  initialRun: BulkRun,
  { ticket, onPart, isStopped }: BulkRunObserver,
): Promise<BulkRun> {
  let after: string | null = null;
  let { done, failed } = initialRun;
  for (;;) {
    const position: PartPosition = { after, ticket };
    const part: BulkPartResult | undefined = await performBulkActionOnPart(action, matching, position).catch(
      () => undefined,
    );
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
