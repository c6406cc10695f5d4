"use client";

import type { ReactNode } from "react";
import { createContext, use, useMemo, useState } from "react";

/**
 * Hides entries that other people have added since the page was opened until the reader asks for them, so that nothing
 * moves under the pointer. Everything else on the page follows changes at once.
 */

type DeferredEntries = { deferredIds: ReadonlySet<string>; showDeferred: () => void };

const NOTHING_DEFERRED: DeferredEntries = { deferredIds: new Set(), showDeferred: () => {} };
const DeferredContext = createContext(NOTHING_DEFERRED);

type Props = {
  /** The loaded entries, and whether they are the viewer's own. */
  entries: readonly { id: string; own: boolean }[];
  children: ReactNode;
};

export function HiddenNewTimelineEntriesProvider({ entries, children }: Props) {
  const [{ of, shownIds, isShowingAll }, setState] = useState(() => showAll(entries));
  // Showing deferred entries also refreshes the page; what that refresh brings is shown too.
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

export const useHiddenNewTimelineEntries = (): DeferredEntries => use(DeferredContext);

/** An item of the timeline with these entries. */
export function TimelineItemHiddenWhileNew({
  ids,
  children,
}: {
  ids: readonly string[];
  children: ReactNode;
}) {
  const { deferredIds } = useHiddenNewTimelineEntries();
  return (
    <li hidden={ids.every((id) => deferredIds.has(id))} className="min-w-0">
      {children}
    </li>
  );
}
