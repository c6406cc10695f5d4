"use client";

import type { ReactNode } from "react";
import { createContext, use, useMemo, useState } from "react";

/**
 * Entries that others added since the page was opened wait until they are asked for, although the page has followed what
 * else has changed: nothing moves under the reader's pointer.
 */

type DeferredEntries = { deferredIds: ReadonlySet<string>; showDeferred: () => void };

const NOTHING_DEFERRED: DeferredEntries = { deferredIds: new Set(), showDeferred: () => {} };
const DeferredContext = createContext(NOTHING_DEFERRED);

type Props = {
  /** The loaded entries, and whether they are the viewer's own. */
  entries: readonly { id: string; own: boolean }[];
  children: ReactNode;
};

export function DeferredTimeline({ entries, children }: Props) {
  const [{ of, shownIds, isShowingAll }, setState] = useState(() => showAll(entries));
  // Whoever asks for what waits gets what the refresh brings as well.
  if (of !== entries) setState(isShowingAll ? showAll(entries) : { of: entries, shownIds, isShowingAll });
  const deferred = useMemo(() => {
    const deferredIds = entries.filter(({ id, own }) => !own && !shownIds.has(id)).map(({ id }) => id);
    return {
      deferredIds: new Set(deferredIds),
      showDeferred: () => setState({ ...showAll(entries), isShowingAll: true }),
    };
  }, [entries, shownIds]);
  return <DeferredContext value={deferred}>{children}</DeferredContext>;
}

const showAll = (entries: Props["entries"]) => ({
  of: entries,
  shownIds: new Set(entries.map(({ id }) => id)) as ReadonlySet<string>,
  isShowingAll: false,
});

export const useDeferredEntries = (): DeferredEntries => use(DeferredContext);

/** An item of the timeline with these entries. */
export function TimelineItem({ ids, children }: { ids: readonly string[]; children: ReactNode }) {
  const { deferredIds } = useDeferredEntries();
  return (
    <li hidden={ids.every((id) => deferredIds.has(id))} className="min-w-0">
      {children}
    </li>
  );
}
