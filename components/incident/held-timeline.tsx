"use client";

import type { ReactNode } from "react";
import { createContext, use, useMemo, useState } from "react";

/**
 * Entries that others added since the page was opened wait until they are asked for, although the page has followed what
 * else has changed: nothing moves under the reader's pointer.
 */

type HeldEntries = { heldIds: ReadonlySet<string>; release: () => void };

const NOTHING_HELD: HeldEntries = { heldIds: new Set(), release: () => {} };
const HeldContext = createContext(NOTHING_HELD);

type Props = {
  /** The loaded entries, and whether they are the viewer's own. */
  entries: readonly { id: string; own: boolean }[];
  children: ReactNode;
};

export function HeldTimeline({ entries, children }: Props) {
  const [{ of, shownIds, isReleasing }, setState] = useState(() => showAll(entries));
  // Whoever asks for what waits gets what the refresh brings as well.
  if (of !== entries) setState(isReleasing ? showAll(entries) : { of: entries, shownIds, isReleasing });
  const held = useMemo(() => {
    const heldIds = entries.filter(({ id, own }) => !own && !shownIds.has(id)).map(({ id }) => id);
    return {
      heldIds: new Set(heldIds),
      release: () => setState({ ...showAll(entries), isReleasing: true }),
    };
  }, [entries, shownIds]);
  return <HeldContext value={held}>{children}</HeldContext>;
}

const showAll = (entries: Props["entries"]) => ({
  of: entries,
  shownIds: new Set(entries.map(({ id }) => id)) as ReadonlySet<string>,
  isReleasing: false,
});

export const useHeldEntries = (): HeldEntries => use(HeldContext);

/** An item of the timeline with these entries. */
export function TimelineItem({ ids, children }: { ids: readonly string[]; children: ReactNode }) {
  const { heldIds } = useHeldEntries();
  return (
    <li hidden={ids.every((id) => heldIds.has(id))} className="min-w-0">
      {children}
    </li>
  );
}
