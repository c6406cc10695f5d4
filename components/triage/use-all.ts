"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { actOnPart } from "./actions.ts";
import type { Deed, Matching, PartOutcome } from "./deeds.ts";
import { ticket } from "./page-rows.ts";

export type AllAsked = { deed: Deed; matching: Matching; total: number };
type AllEnd = "complete" | "stopped" | "broken";
export type AllGone = {
  total: number;
  done: number;
  failed: PartOutcome["failed"];
  /** How it ended; undefined while it goes on. */
  end?: AllEnd;
};

/** After too many changes in a minute, the next try comes after so long. */
const WAIT_MS = 10_000;

/** One deed on all that match, part after part: asked for once more first, since it can't be taken back in one press. */
export function useAll() {
  const router = useRouter();
  const [asked, setAsked] = useState<AllAsked>();
  const [gone, setGone] = useState<AllGone>();
  const stopping = useRef(false);

  async function go(): Promise<void> {
    if (!asked) return;
    stopping.current = false;
    setAsked(undefined);
    const begun: AllGone = { total: asked.total, done: 0, failed: [] };
    setGone(begun);
    const ended = await goThrough(asked, begun, { onPart: setGone, isStopped: () => stopping.current });
    document.querySelector<HTMLFormElement>("form#desk")?.reset();
    setGone(ended);
    if (ended.end !== "complete") router.refresh();
  }

  return {
    asked,
    gone,
    ask: setAsked,
    go: () => void go(),
    cancel: () => setAsked(undefined),
    stop: () => void (stopping.current = true),
    forget: () => setGone(undefined),
  };
}

type Behind = { after: string | null; ticket: string };

type Watching = { onPart: (gone: AllGone) => void; isStopped: () => boolean };

async function goThrough(
  { deed, matching, total }: AllAsked,
  begun: AllGone,
  { onPart, isStopped }: Watching,
): Promise<AllGone> {
  let after: string | null = null;
  let { done, failed } = begun;
  for (;;) {
    const behind: Behind = { after, ticket: ticket() };
    const part: PartOutcome | undefined = await actOnPart(deed, matching, behind).catch(() => undefined);
    if (!part) return { total, done, failed, end: "broken" };
    done += part.done;
    failed = [...failed, ...part.failed];
    onPart({ total, done, failed });
    if (part.next === null && !part.wait) return { total, done, failed, end: "complete" };
    if (isStopped()) return { total, done, failed, end: "stopped" };
    after = part.next;
    if (part.wait) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}
