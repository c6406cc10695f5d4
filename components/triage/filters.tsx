"use client";

import { Icon } from "#components/ui/icon.tsx";
import clsx from "clsx";
import { useRouter } from "next/navigation";
import { type MouseEvent as Press, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { useDocumentEvent } from "#components/ui/document-event.ts";
import { isUnmodifiedPrimaryClick } from "#components/ui/unmodified-click.ts";
import { buildListUrlFromFilterForm } from "./forms.ts";
import styles from "./filters.module.css";

/** Search and filters of the list, with translated labels. */
export type IncidentFilterFormData = {
  path: string;
  /** Current filters; when they change, open chips close. */
  filters: string;
  /** URL of the choices of all chips. */
  choices: string;
  /** Hidden parameters that every search preserves. */
  preservedParams: readonly ParamPair[];
  search: string | null;
  /** URL without filters; null if none is set. */
  clear: string | null;
  chips: readonly FilterChipData[];
  labels: Record<
    "filters" | "search" | "searchHint" | "apply" | "clear" | "clearOne" | "unreachable",
    string
  >;
};

export type FilterChipData = {
  /** Value of `choose` for this chip. */
  name: string;
  label: string;
  /** The label with the chosen values, and the URL without this filter, if any is chosen. */
  chosen?: string;
  clear?: string;
  /** Parameters that the chip contributes while its panel isn't rendered. */
  preservedParams: readonly ParamPair[];
  /** Only of the chip that is open before script runs; those of the others are fetched. */
  groups?: readonly ChoiceGroup[];
};

/** The choices of each chip by its name. */
type FilterChoices = Record<string, readonly ChoiceGroup[]>;

type ParamPair = readonly [name: string, value: string];

type ChoiceGroup = {
  /** Label of the group for screen readers; shown to everybody if `seen` is set. */
  legend: string;
  seen?: boolean;
  note?: string;
  ticks?: readonly FilterCheckboxData[];
  days?: readonly { name: string; label: string; value: string }[];
};

/**
 * A checkbox of a filter. Has `name` and `checked` only where they differ from the default, to keep the page small:
 * there may be a checkbox for each event.
 */
type FilterCheckboxData = {
  name?: string;
  value: string;
  label: string;
  count?: string;
  checked?: true | undefined;
};

/**
 * Search and filters in one form, so that they combine. A chip's panel renders when first opened, with choices that are
 * fetched then, and stays while the list is the same, so that choices in several panels are submitted together; chips
 * that were never opened submit their current values. Without script a chip is a submit button that loads the page with
 * the chip open.
 */
export function IncidentFilterForm({ data }: { data: IncidentFilterFormData }) {
  const router = useRouter();
  const { path, preservedParams, search, clear, labels } = data;
  const { open, opened, choices, isUnreachable, press } = useOpenChip(data);
  return (
    <form
      id="inbox-filter"
      action={path}
      onSubmit={(event) => {
        event.preventDefault();
        router.push(buildListUrlFromFilterForm(event.currentTarget));
      }}
      role="search"
      aria-label={labels.filters}
      className={clsx("no-print", styles.filters)}
    >
      <PreservedParams pairs={preservedParams} />
      <SearchField search={search} labels={labels} />
      <div className={styles.chips}>
        {data.chips.map((chip) => (
          <FilterChip
            key={chip.name}
            chip={chip}
            open={open === chip.name}
            groups={opened.includes(chip.name) ? ((choices ?? {})[chip.name] ?? chip.groups) : undefined}
            labels={labels}
            onPress={press}
          />
        ))}
        {clear !== null && (
          <a href={clear} className={buildButtonClass("quiet")}>
            <Icon as="x" />
            {labels.clear}
          </a>
        )}
      </div>
      <ConnectionProblem text={isUnreachable ? labels.unreachable : undefined} />
    </form>
  );
}

const ConnectionProblem = ({ text }: { text: string | undefined }) => (
  <p role="status" className={text ? "w-full text-danger" : "sr-only"}>
    {text}
  </p>
);

function SearchField({ search, labels }: Pick<IncidentFilterFormData, "search" | "labels">) {
  return (
    <div className={styles.search}>
      <Icon as="search" />
      <input
        type="search"
        autoComplete="off"
        name="search"
        defaultValue={search ?? undefined}
        maxLength={200}
        aria-label={labels.search}
        aria-keyshortcuts="/"
        placeholder={labels.searchHint}
        className="control"
      />
      {/* The first button of a form is the one that Enter presses. */}
      <button type="submit" className="sr-only">
        {labels.apply}
      </button>
    </div>
  );
}

function PreservedParams({ pairs }: { pairs: readonly ParamPair[] }) {
  return pairs.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

type OpenChip = {
  filters: string;
  open: string | null;
  opened: readonly string[];
  choices?: FilterChoices;
  /** The choices couldn't be fetched, since there is no connection. */
  isUnreachable?: boolean;
};

/** Tracks which chip is open, one at a time, and which have been opened since the list last changed. */
function useOpenChip({ filters, chips, choices: url }: IncidentFilterFormData) {
  const begin = (open: string | null): OpenChip => ({ filters, open, opened: open === null ? [] : [open] });
  const [state, setState] = useState(() => begin(chips.find(({ groups }) => groups)?.name ?? null));
  if (state.filters !== filters) setState(begin(null));

  const fetching = useRef<AbortController>(undefined);
  // What comes once the list is another one, or the page is left, is for nobody.
  useEffect(() => () => fetching.current?.abort(), [filters]);

  const show = async (name: string | null) => {
    fetching.current?.abort();
    setState(({ opened, ...before }) => ({
      ...before,
      isUnreachable: false,
      open: name,
      opened: name === null || opened.includes(name) ? opened : [...opened, name],
    }));
    if (name === null) return;
    const { signal } = (fetching.current = new AbortController());
    const choices = await fetchChoices(url, signal);
    if (signal.aborted) return;
    if (typeof choices === "object") return flushSync(() => setState((before) => ({ ...before, choices })));
    if (state.choices ?? chips.find((chip) => chip.name === name)?.groups) return;
    if (choices === "refused") return openWithPage(name);
    setState((before) => ({ ...before, open: null, isUnreachable: true }));
  };

  useChipEvents(state.open, show);
  return { ...state, press: (name: string) => void show(state.open === name ? null : name) };
}

/** Fetches the choices of all chips, as they are now. `refused`: the service answers with something else. */
async function fetchChoices(
  url: string,
  signal: AbortSignal,
): Promise<FilterChoices | "refused" | "unreachable"> {
  try {
    const response = await fetch(url, { redirect: "manual", signal });
    return response.ok ? ((await response.json()) as FilterChoices) : "refused";
  } catch {
    return "unreachable";
  }
}

/** Loads the page with the chip open, as without script. */
function openWithPage(name: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set("choose", name);
  window.location.assign(url);
}

/** Opens a chip from a link elsewhere in the page, and closes the open one on Escape or a press outside. */
function useChipEvents(open: string | null, show: (name: string | null) => Promise<void>): void {
  useDocumentEvent("click", (event) => {
    const target = event.target as Element;
    const link = isUnmodifiedPrimaryClick(event) && target.closest<HTMLElement>("a[data-choose]");
    if (link) {
      event.preventDefault();
      document.getElementById("views")?.hidePopover();
      const { choose } = link.dataset;
      const focused = document.activeElement;
      // Whoever has gone on meanwhile stays where they are.
      const focus = () => document.activeElement === focused && focusChipField(choose);
      return void show(choose ?? null).then(focus);
    }
    const inside = target.closest<HTMLElement>("[data-chip]")?.dataset.chip;
    if (open !== null && open !== inside) void show(null);
  });

  useDocumentEvent("keydown", (event) => {
    if (event.key !== "Escape" || open === null || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    const chip = findChip(open);
    if (chip?.contains(document.activeElement)) chip.querySelector("button")?.focus();
    void show(null);
  });
}

const findChip = (name: string | undefined) =>
  document.querySelector<HTMLElement>(`[data-chip="${CSS.escape(name ?? "")}"]`);

const focusChipField = (name: string | undefined) =>
  findChip(name)?.querySelector<HTMLElement>("div input")?.focus();

type ChipProps = {
  chip: FilterChipData;
  open: boolean;
  /** The choices of its panel, once it has been opened. */
  groups: FilterChipData["groups"];
  labels: IncidentFilterFormData["labels"];
  onPress: (name: string) => void;
};

function FilterChip({ chip, open, groups, labels, onPress }: ChipProps) {
  const { name, label, chosen } = chip;
  const onClick = (event: Press) => {
    event.preventDefault();
    onPress(name);
  };
  return (
    <div className={styles.place} data-chip={name}>
      <button
        type="submit"
        name="choose"
        value={open ? "" : name}
        aria-expanded={open && groups !== undefined}
        aria-busy={open && !groups}
        aria-controls={groups && `chip-${name}`}
        onClick={onClick}
        className={clsx(styles.chip, chosen && styles.active)}
      >
        <span className={styles.label}>{chosen ?? label}</span>
        <Icon as="chevron-down" />
      </button>
      {groups ? (
        <FilterPanel chip={chip} groups={groups} hidden={!open} labels={labels} />
      ) : (
        <PreservedParams pairs={chip.preservedParams} />
      )}
    </div>
  );
}

type PanelProps = Pick<ChipProps, "chip" | "labels"> & { groups: readonly ChoiceGroup[]; hidden: boolean };

function FilterPanel({ chip: { name, clear }, groups, hidden, labels }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  // When the list changes, the panel is removed; if the focus was inside, it moves to the chip's button.
  useLayoutEffect(() => {
    const element = panel.current;
    return () => {
      if (element?.contains(document.activeElement)) findChip(name)?.querySelector("button")?.focus();
    };
  }, [name]);
  return (
    <div ref={panel} id={`chip-${name}`} hidden={hidden} className={styles.panel}>
      <div className={styles.groups}>
        {groups.map((group) => (
          <FilterChoices key={group.legend} of={name} {...group} />
        ))}
      </div>
      <div className={styles.foot}>
        {clear !== undefined && (
          <a href={clear} className={buildButtonClass("quiet")}>
            {labels.clearOne}
          </a>
        )}
        <button type="submit" className={buildButtonClass("primary", "ms-auto")}>
          {labels.apply}
        </button>
      </div>
    </div>
  );
}

function FilterChoices({ of, legend, seen, note, ticks = [], days = [] }: ChoiceGroup & { of: string }) {
  return (
    <fieldset className={styles.group}>
      <legend className={seen ? styles.note : "sr-only"}>{legend}</legend>
      {note && <p className={styles.note}>{note}</p>}
      {ticks.map((tick) => (
        <label key={`${tick.name} ${tick.value}`} className={styles.tick}>
          <input
            type="checkbox"
            name={tick.name ?? of}
            value={tick.value}
            defaultChecked={tick.checked ?? false}
          />
          <span className={styles.word}>{tick.label}</span>
          {tick.count !== undefined && <span className={styles.count}>{tick.count}</span>}
        </label>
      ))}
      {days.map(({ name, label, value }) => (
        <label key={name} className={styles.day}>
          {label}
          <input type="date" name={name} defaultValue={value} className="control" />
        </label>
      ))}
    </fieldset>
  );
}
