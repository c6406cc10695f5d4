import { markReporterNames } from "#components/incident/reporter-marks.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { INCIDENT_STATES, SEVERITIES } from "#lib/incidents/schema.ts";
import { DUE_FILTERS, SIDES_EXPECTED_TO_REPLY } from "#lib/incidents/list-schema.ts";
import type { InboxFilterPeople, IncidentCountsSummary } from "#lib/incidents/inbox-schema.ts";
import type { FilterChipData } from "./filters.tsx";
import {
  buildChangedViewHref,
  type IncidentFilterName,
  isViewLimitedByStatus,
  isViewLimitedToOpenStatuses,
  listFilterValues,
  type IncidentListViewParams,
} from "./view.ts";

/** The list that is filtered: its address, and what there is to choose. */
export type FilteredList = {
  path: string;
  view: IncidentListViewParams;
  summary: IncidentCountsSummary;
  people: InboxFilterPeople;
  /** Slug of the one event that the list covers; it then has no event filter. */
  onlyEvent: string | null;
};

export type FilterTranslators = {
  inbox: Translator<"inbox">;
  inboxClient: Translator<"inboxClient">;
  incident: Translator<"incident">;
  joinTexts: (texts: readonly string[]) => string;
};

/** Lists the chips of the filters, each with its choices, which are built when asked for. */
export function listFilterChips(list: FilteredList, translators: FilterTranslators): FilterChip[] {
  const { summary, people, onlyEvent, view } = list;
  const several = (filter: MultiValueFilter) => buildMultiValueChip(filter, list, translators);
  return [
    nameStatuses(several(describeStatusFilter(summary, translators)), view, translators),
    several(describeSeverityFilter(summary, translators)),
    ...(onlyEvent === null && summary.events.length > 1
      ? [several(describeEventFilter(summary, translators))]
      : []),
    several(describeAssigneeFilter(summary, people, translators)),
    buildClockChip(list, translators),
    several(describeReporterFilter(people, translators)),
    buildDateChip(list, translators),
    buildMoreChip(list, translators),
  ];
}

type FilterChip = Omit<FilterChipData, "groups"> & { listGroups: () => Required<FilterChipData>["groups"] };

const describeStatusFilter = (
  { byState }: IncidentCountsSummary,
  { incident: t }: FilterTranslators,
): MultiValueFilter => ({
  name: "status",
  label: t("field.state"),
  options: INCIDENT_STATES.map((value) => ({ value, label: t(`state.${value}`), count: byState[value] })),
});

/** Shortens the status filter's text: "Open" for all open statuses, "Any" for no limit. */
function nameStatuses(
  chip: FilterChip,
  view: IncidentListViewParams,
  { inbox: t, inboxClient }: FilterTranslators,
): FilterChip {
  const name = (values: string) => ({ ...chip, chosen: inboxClient("chip", { label: chip.label, values }) });
  if (view.status === undefined) return chip;
  if (isViewLimitedToOpenStatuses(view)) return name(t("statusOpen"));
  return isViewLimitedByStatus(view) ? chip : name(t("statusAny"));
}

const describeSeverityFilter = (
  { openBySeverity }: IncidentCountsSummary,
  { inbox: t, incident }: FilterTranslators,
): MultiValueFilter => ({
  name: "severity",
  label: incident("field.severity"),
  note: t("countsOpen"),
  options: [...SEVERITIES.toReversed(), "none" as const].map((value) => ({
    value,
    label: incident(`severity.${value}`),
    count: openBySeverity[value],
  })),
});

const describeEventFilter = (
  { events }: IncidentCountsSummary,
  { inbox: t, incident }: FilterTranslators,
): MultiValueFilter => ({
  name: "event",
  label: incident("field.event"),
  note: t("countsOpen"),
  options: events.map(({ slug, name, open }) => ({ value: slug, label: name, count: open })),
});

const describeAssigneeFilter = (
  { openUnassigned, openMine, open }: IncidentCountsSummary,
  { assignees }: InboxFilterPeople,
  { inbox: t, incident }: FilterTranslators,
): MultiValueFilter => ({
  name: "assigned",
  label: incident("field.assignee"),
  note: t("countsOpen"),
  options: [
    { value: "me", label: t("assigned.me"), count: openMine },
    { value: "unassigned", label: t("assigned.unassigned"), count: openUnassigned },
    { value: "others", label: t("assigned.others"), count: Math.max(0, open - openMine - openUnassigned) },
    ...toPersonChoices(assignees),
  ],
});

const describeReporterFilter = (
  { reporters, assignees }: InboxFilterPeople,
  { inbox: t, incident }: FilterTranslators,
): MultiValueFilter => ({
  name: "reporter",
  label: t("reporter"),
  ...(reporters.length === 0 && { note: t("reporterNone") }),
  options: toPersonChoices(markReporterNames(incident, reporters, assignees)),
});

const toPersonChoices = (people: readonly { id: string; name: string }[]): Choice[] =>
  people.map(({ id, name }) => ({ value: id, label: name }));

type Choice = { value: string; label: string; count?: number };
type MultiValueFilter = {
  name: IncidentFilterName;
  label: string;
  note?: string;
  options: readonly Choice[];
};

/** The choice of a value, which says that it is chosen only where it is, to keep the page small. */
const toTick = <Option extends { value: string; label: string }>(option: Option, isChosen: boolean) => ({
  ...option,
  ...(isChosen && { checked: true as const }),
});

/** A filter with fixed values; any of the chosen ones matches. */
function buildMultiValueChip(
  { name, label, note, options }: MultiValueFilter,
  list: FilteredList,
  translators: FilterTranslators,
): FilterChip {
  const values = listFilterValues(list.view, name);
  const listTicks = () =>
    options.map(({ count, ...option }) => ({
      ...toTick(option, values.includes(option.value)),
      ...(count !== undefined && { count: translators.inbox("number", { count }) }),
    }));
  const chip = {
    name,
    label,
    filters: [name],
    chosen: options.filter(({ value }) => values.includes(value)).map((option) => option.label),
    listGroups: () => [{ legend: label, ...(note && { note }), ticks: listTicks() }],
  };
  return buildChip(chip, list, translators);
}

type Chip = Pick<FilterChip, "name" | "label" | "listGroups"> & {
  /** Filters that the chip sets. */
  filters: readonly IncidentFilterName[];
  /** The chosen values, as labels. */
  chosen: readonly string[];
};

const buildChip = (
  { name, label, filters, chosen, listGroups }: Chip,
  { path, view }: FilteredList,
  { inboxClient: t, joinTexts }: FilterTranslators,
): FilterChip => ({
  name,
  label,
  ...(chosen.length > 0 && {
    chosen: t("chip", { label, values: joinTexts(chosen) }),
    clear: buildChangedViewHref(path, view, Object.fromEntries(filters.map((filter) => [filter, null]))),
  }),
  preservedParams: listPreservedParams(view, filters),
  listGroups,
});

export const listPreservedParams = (
  view: IncidentListViewParams,
  names: readonly (keyof IncidentListViewParams)[],
): [string, string][] => names.flatMap((name) => (view[name] ? [[name, view[name]]] : []));

/** Builds the chip with the filter by date: from a day, and until a day, both included. */
function buildDateChip(list: FilteredList, translators: FilterTranslators): FilterChip {
  const { inbox: t } = translators;
  const { from, to } = list.view;
  const chip: Chip = {
    name: "date",
    label: t("date"),
    filters: ["from", "to"],
    chosen: [...(from ? [t("fromDay", { day: from })] : []), ...(to ? [t("untilDay", { day: to })] : [])],
    listGroups: () => [
      {
        legend: t("date"),
        days: [
          { name: "from", label: t("from"), value: from?.slice(0, 10) ?? "" },
          { name: "to", label: t("until"), value: to?.slice(0, 10) ?? "" },
        ],
      },
    ],
  };
  return buildChip(chip, list, translators);
}

/** Builds the chip with the filters by deadline and by whose reply is awaited. */
function buildClockChip(list: FilteredList, translators: FilterTranslators): FilterChip {
  const { inbox: t } = translators;
  const listTicks = <Name extends "due" | "awaiting", Value extends string>(
    name: Name,
    values: readonly Value[],
    labelOf: (value: Value) => string,
  ) => ({
    legend: t(name),
    seen: true,
    ticks: values.map((value) =>
      toTick({ name, value, label: labelOf(value) }, listFilterValues(list.view, name).includes(value)),
    ),
  });
  const groups = [
    listTicks("due", DUE_FILTERS, (value) => t(`due.${value}`)),
    listTicks("awaiting", SIDES_EXPECTED_TO_REPLY, (value) => t(`awaiting.${value}`)),
  ];
  const chosen = groups
    .flatMap(({ ticks }) => ticks.filter(({ checked }) => checked))
    .map(({ label }) => label);
  const chip: Chip = {
    name: "clock",
    label: t("clock"),
    filters: ["due", "awaiting"],
    chosen,
    listGroups: () => groups,
  };
  return buildChip(chip, list, translators);
}

const MORE_FILTERS = ["needsUs", "files", "anonymous", "escalated", "pinned"] as const;

function buildMoreChip(list: FilteredList, translators: FilterTranslators): FilterChip {
  const { inbox: t } = translators;
  const ticks = MORE_FILTERS.map((name) =>
    toTick({ name, value: "true", label: t(`only.${name}`) }, list.view[name] === "true"),
  );
  const chip: Chip = {
    name: "more",
    label: t("more"),
    filters: MORE_FILTERS,
    chosen: ticks.filter(({ checked }) => checked).map(({ label }) => label),
    listGroups: () => [{ legend: t("more"), ticks }],
  };
  return buildChip(chip, list, translators);
}
