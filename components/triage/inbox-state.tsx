"use client";

import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Columns, fromColumns } from "#lib/design/columns.ts";
import { readCheckedRowPlaces } from "./forms.ts";
import type { InboxRowData } from "./row-data.ts";

/** The state of the inbox in the browser: the rows of the list of incidents, and which of them are checked. */

export type InboxContextValue = InboxState &
  InboxFocus & {
    /** Opaque form of the account that the page was rendered for. */
    ticket: string;
    rows: readonly InboxRowData[];
    setTicked: (ids: readonly string[], isTicked: boolean) => void;
    /** Selects all matching incidents, beyond the page. */
    setAllMatching: (isSelected: boolean) => void;
    clearTicked: () => void;
    setBusy: (ids: readonly string[]) => void;
    /** Replaces rows in place; none moves, appears or goes. `changedIds` get a mark. */
    replaceRows: (rows: readonly InboxRowData[], changedIds: readonly string[]) => void;
    clearChanged: () => void;
  };

type InboxState = {
  /** Rows as somebody else changed them since the page was loaded, by id. */
  replaced: ReadonlyMap<string, InboxRowData>;
  changed: ReadonlySet<string>;
  ticked: ReadonlySet<string>;
  busy: ReadonlySet<string>;
  allMatching: boolean;
  /** The row that was last checked or unchecked. */
  lastTickedId: string | null;
};

const InboxContext = createContext<InboxContextValue | null>(null);

/** Returns the state of the inbox around this component. @throws Error outside of `InboxProvider` */
export function useInbox(): InboxContextValue {
  const inbox = use(InboxContext);
  if (!inbox) throw new Error("there is no InboxProvider around this component");
  return inbox;
}

type Props = {
  /** Path and query of the list. */
  list: string;
  rows: Columns<InboxRowData>;
  ticket: string;
  /** Rows that are checked at first, because an action without script failed for them. */
  tickedIds: readonly string[];
  children: ReactNode;
};

export function InboxProvider({ list, rows: columns, ticket, tickedIds, children }: Props) {
  const loadedRows = useMemo(() => fromColumns(columns), [columns]);
  const [state, setState] = useLoadedState({ list, rows: loadedRows }, tickedIds);
  const focus = useRowFocus(loadedRows);
  const rows = useMemo(
    () => loadedRows.map((row) => pickNewer(row, state.replaced.get(row.id))),
    [loadedRows, state.replaced],
  );

  const actions = useMemo(() => createInboxActions(setState), [setState]);
  useRowsCheckedBeforeHydration(loadedRows, actions);
  const inbox = useMemo(
    () => ({ ...state, ...focus, ...actions, ticket, rows }),
    [state, focus, actions, ticket, rows],
  );
  return <InboxContext value={inbox}>{children}</InboxContext>;
}

/**
 * Selects the rows that were checked before script took over. Only the elements know these, so they are read once, at
 * hydration; from then on the state decides.
 */
function useRowsCheckedBeforeHydration(rows: readonly InboxRowData[], { setTicked }: InboxActions): void {
  const tick = useEffectEvent(() => {
    const ids = readCheckedRowPlaces().flatMap((at) => rows[at]?.id ?? []);
    if (ids.length > 0) setTicked(ids, true);
  });
  useLayoutEffect(() => tick(), []);
}

/** Returns the newer version of a row: one may be fetched just before the list is loaded, and arrive just after it. */
const pickNewer = (loaded: InboxRowData, replaced: InboxRowData | undefined) =>
  replaced && replaced.at >= loaded.at ? replaced : loaded;

type SetInboxState = (change: (before: InboxState) => InboxState) => void;

type InboxActions = ReturnType<typeof createInboxActions>;

const createInboxActions = (setState: SetInboxState) => ({
  setTicked(ids: readonly string[], isTicked: boolean) {
    setState(({ ticked, ...before }) => {
      const others = [...ticked].filter((id) => !ids.includes(id));
      const lastTickedId = ids.at(-1) ?? null;
      return withTicked({ ...before, lastTickedId }, isTicked ? [...others, ...ids] : others);
    });
  },
  setAllMatching: (allMatching: boolean) => setState((before) => ({ ...before, allMatching })),
  clearTicked: () => setState((before) => ({ ...before, ticked: new Set(), allMatching: false })),
  setBusy: (ids: readonly string[]) => setState((before) => ({ ...before, busy: new Set(ids) })),
  replaceRows: (rows: readonly InboxRowData[], changedIds: readonly string[]) =>
    setState((before) => ({
      ...before,
      replaced: new Map([...before.replaced, ...rows.map((row) => [row.id, row] as const)]),
      changed: new Set([...before.changed, ...changedIds]),
    })),
  clearChanged: () => setState((before) => ({ ...before, changed: new Set() })),
});

/** A list as the server sent it: its address, and its rows. */
type LoadedList = { list: string; rows: readonly InboxRowData[] };

/** The state of a list; what was replaced or marked is forgotten when the server sends the list again. */
function useLoadedState({ list, rows }: LoadedList, tickedIds: readonly string[]) {
  const [{ of, ...state }, setStateOfList] = useState(() => ({
    of: { list, rows },
    ...createInboxState(tickedIds),
  }));
  if (of.rows !== rows)
    setStateOfList({ ...createRefreshedInboxState(state, of.list === list, rows), of: { list, rows } });
  const setState = useCallback<SetInboxState>(
    (change) => setStateOfList((before) => ({ ...change(before), of: before.of })),
    [],
  );
  return [state, setState] as const;
}

/**
 * Creates the state of a list that the server has sent again. Rows that are still listed stay checked; all matching
 * incidents stay selected unless these are others now, since another list is shown.
 */
export const createRefreshedInboxState = (
  { ticked, busy, allMatching }: InboxState,
  isSameList: boolean,
  rows: readonly InboxRowData[],
): InboxState =>
  withTicked(
    { ...createInboxState([]), busy, allMatching: allMatching && isSameList },
    [...ticked].filter((id) => rows.some((row) => row.id === id)),
  );

/** Without a checked row there is no form, which shows whether all matching incidents are selected. */
const withTicked = (state: Omit<InboxState, "ticked">, ids: readonly string[]): InboxState => ({
  ...state,
  ticked: new Set(ids),
  allMatching: state.allMatching && ids.length > 0,
});

/** Creates the state of a list that is shown for the first time. */
export const createInboxState = (tickedIds: readonly string[]): InboxState => ({
  replaced: new Map(),
  changed: new Set(),
  ticked: new Set(tickedIds),
  busy: new Set(),
  allMatching: false,
  lastTickedId: null,
});

type InboxFocus = ReturnType<typeof useRowFocus>;

/** Where the focus is among the rows, and how to move it. */
function useRowFocus(rows: readonly InboxRowData[]) {
  const elements = useRef(new Map<string, HTMLElement>());
  return useMemo(() => {
    const findFocusedId = () =>
      rows.find(({ id }) => elements.current.get(id)?.contains(document.activeElement))?.id;
    const focusRow = (id: string | undefined) =>
      void (id && elements.current.get(id)?.querySelector<HTMLElement>("a")?.focus());
    return {
      /** A row registers its element under its id. */
      registerRow: (id: string, element: HTMLElement | null) =>
        element ? elements.current.set(id, element) : elements.current.delete(id),
      findFocusedId,
      focusRow,
      /** Focuses the next (1) or the previous row (-1); from outside the list, its first row. */
      moveFocus(by: 1 | -1) {
        const at = rows.findIndex(({ id }) => id === findFocusedId());
        focusRow(rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.id);
      },
      openFocused: () =>
        elements.current
          .get(findFocusedId() ?? "")
          ?.querySelector<HTMLElement>("a")
          ?.click(),
    };
  }, [rows]);
}

/** Returns the rows that an action applies to: the checked ones, else the focused one. */
export function listActionTargetRows({ rows, ticked, findFocusedId }: InboxContextValue): InboxRowData[] {
  const tickedRows = listCheckedRows({ rows, ticked });
  const focusedId = tickedRows.length > 0 ? undefined : findFocusedId();
  return focusedId ? rows.filter(({ id }) => id === focusedId) : tickedRows;
}

export const listCheckedRows = ({
  rows,
  ticked,
}: Pick<InboxContextValue, "rows" | "ticked">): InboxRowData[] => rows.filter(({ id }) => ticked.has(id));
