"use client";

import type { ReactNode } from "react";
import { createContext, use, useMemo, useState } from "react";

/**
 * Hides entries that other people have added since the page was opened until the reader asks for them, so that nothing
 * moves under the pointer. Everything else on the page follows changes at once.
 */

type HiddenNewEntries = { hiddenIds: ReadonlySet<string>; showHidden: () => void };

const NOTHING_HIDDEN: HiddenNewEntries = { hiddenIds: new Set(), showHidden: () => {} };
const HiddenNewEntriesContext = createContext(NOTHING_HIDDEN);

type Props = {
  /** The loaded entries, and whether they are the viewer's own. */
  entries: readonly { id: string; own: boolean }[];
  children: ReactNode;
};

export function HiddenNewTimelineEntriesProvider({ entries, children }: Props) {
  const [{ of, shownIds, isShowingAll }, setState] = useState(() => showAll(entries));
  // Showing hidden entries also refreshes the page; what that refresh brings is shown too.
  if (of !== entries) setState(isShowingAll ? showAll(entries) : { of: entries, shownIds, isShowingAll });
  const hiddenEntries = useMemo(() => {
    const hiddenIds = entries.filter(({ id, own }) => !own && !shownIds.has(id)).map(({ id }) => id);
    return {
      hiddenIds: new Set(hiddenIds),
      showHidden: () => setState({ ...showAll(entries), isShowingAll: true }),
    };
  }, [entries, shownIds]);
  return <HiddenNewEntriesContext value={hiddenEntries}>{children}</HiddenNewEntriesContext>;
}

const showAll = (entries: Props["entries"]) => ({
  of: entries,
  shownIds: new Set(entries.map(({ id }) => id)) as ReadonlySet<string>,
  isShowingAll: false,
});

export const useHiddenNewTimelineEntries = (): HiddenNewEntries => use(HiddenNewEntriesContext);

/** An item of the timeline, hidden while all of its entries (`ids`) are hidden. */
export function TimelineItemHiddenWhileNew({
  ids,
  children,
}: {
  ids: readonly string[];
  children: ReactNode;
}) {
  const { hiddenIds } = useHiddenNewTimelineEntries();
  return (
    <li hidden={ids.every((id) => hiddenIds.has(id))} className="min-w-0">
      {children}
    </li>
  );
}
