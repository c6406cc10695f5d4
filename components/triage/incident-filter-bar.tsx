import { buildButtonClass } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { SIDES_EXPECTED_TO_REPLY, DUE_FILTERS, SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { MAX_SAVED_VIEW_NAME_LENGTH } from "#lib/triage/saved-view-schema.ts";
import type { InboxFilterPeople, IncidentCountsSummary } from "#lib/triage/schema.ts";
import { useTranslator } from "#i18n";
import { saveDensityOrShortcutsAction, saveViewAction } from "./actions.ts";
import type { InboxPreferences } from "./preferences.ts";
import { SortOrderMenu } from "./sort-order-menu.tsx";
import { type FilterChipData, type IncidentFilterFormData, IncidentFilterForm } from "./filters.tsx";
import {
  buildChangedViewHref,
  type IncidentFilterName,
  buildReplacedFiltersHref,
  formatViewQuery,
  getViewOrder,
  isViewLimitedByStatus,
  isViewLimitedToOpenStatuses,
  listFilterValues,
  type IncidentListViewParams,
} from "./view.ts";

type Props = {
  path: string;
  view: IncidentListViewParams;
  query: SearchParams;
  summary: IncidentCountsSummary;
  people: InboxFilterPeople;
  /** Whether the URL has filters. */
  isFiltered: boolean;
  /** Whether the list covers one event, and so has no event filter. */
  single: boolean;
};

/** Search and filters of the list, in one form, so that they combine without script. */
export function IncidentFilterBar(props: Props) {
  return <IncidentFilterForm data={useFilterData(props)} />;
}

const PRESERVED_PARAMS = ["sort", "order", "limit", "pinned"] as const;

function useFilterData({ path, view, query, isFiltered, ...props }: Props): IncidentFilterFormData {
  const t = useTranslator("inbox");
  const short = useTranslator("inboxClient");
  const chips = useChips({ path, view, ...props });
  return {
    path,
    filters: buildReplacedFiltersHref("", {}, view),
    preservedParams: listPreservedParams(view, PRESERVED_PARAMS),
    search: view.search ?? null,
    clear: isFiltered ? buildReplacedFiltersHref(path, view, {}) : null,
    open: chips.find(({ name }) => name === query.choose)?.name ?? null,
    chips,
    labels: {
      filters: t("filters"),
      search: t("search"),
      searchHint: t("searchHint"),
      apply: t("apply"),
      clear: t("clear"),
      clearOne: short("clearOne"),
    },
  };
}

const listPreservedParams = (
  view: IncidentListViewParams,
  names: readonly (keyof IncidentListViewParams)[],
): [string, string][] => names.flatMap((name) => (view[name] ? [[name, view[name]]] : []));

type ChipsInput = Pick<Props, "path" | "view" | "summary" | "people" | "single">;

function useChips({ path, view, summary, people, single }: ChipsInput): FilterChipData[] {
  const severalOf = useMultiValueChip({ path, view });
  const nameStatuses = useStatusNames();
  const events = severalOf(useEventFilter(summary));
  const reporters = severalOf(useReporterFilter(people));
  return [
    nameStatuses(severalOf(useStatusFilter(summary)), view),
    severalOf(useSeverityFilter(summary)),
    ...(!single && summary.events.length > 1 ? [events] : []),
    severalOf(useAssigneeFilter(summary, people)),
    useClockChip({ path, view }),
    ...(people.reporters.length > 0 ? [reporters] : []),
    useDateChip({ path, view }),
    useMoreChip({ path, view }),
  ];
}

function useStatusFilter({ byState }: IncidentCountsSummary): MultiValueFilter {
  const t = useTranslator("incident");
  return {
    name: "status",
    label: t("field.state"),
    options: INCIDENT_STATES.map((value) => ({
      value,
      label: t(`state.${value}`),
      count: byState[value],
    })),
  };
}

/** Returns a function that shortens the status filter's text: "Open" for all open statuses, "Any" for no limit. */
function useStatusNames() {
  const t = useTranslator("inbox");
  const tChip = useTranslator("inboxClient");
  return (chip: FilterChipData, view: IncidentListViewParams): FilterChipData => {
    if (view.status === undefined) return chip;
    if (isViewLimitedToOpenStatuses(view))
      return { ...chip, chosen: tChip("chip", { label: chip.label, values: t("statusOpen") }) };
    return isViewLimitedByStatus(view)
      ? chip
      : { ...chip, chosen: tChip("chip", { label: chip.label, values: t("statusAny") }) };
  };
}

function useSeverityFilter({ openBySeverity }: IncidentCountsSummary): MultiValueFilter {
  const t = useTranslator("inbox");
  const tIncident = useTranslator("incident");
  return {
    name: "severity",
    label: tIncident("field.severity"),
    note: t("countsOpen"),
    options: [...SEVERITIES.toReversed(), "none" as const].map((value) => ({
      value,
      label: tIncident(`severity.${value}`),
      count: openBySeverity[value],
    })),
  };
}

function useEventFilter({ events }: IncidentCountsSummary): MultiValueFilter {
  const t = useTranslator("inbox");
  const tIncident = useTranslator("incident");
  return {
    name: "event",
    label: tIncident("field.event"),
    note: t("countsOpen"),
    options: events.map(({ slug, name, open }) => ({ value: slug, label: name, count: open })),
  };
}

function useAssigneeFilter(
  { openUnassigned, openMine, open }: IncidentCountsSummary,
  { assignees }: InboxFilterPeople,
): MultiValueFilter {
  const t = useTranslator("inbox");
  const tIncident = useTranslator("incident");
  const openOthers = Math.max(0, open - openMine - openUnassigned);
  return {
    name: "assigned",
    label: tIncident("field.assignee"),
    note: t("countsOpen"),
    options: [
      { value: "me", label: t("assigned.me"), count: openMine },
      { value: "unassigned", label: t("assigned.unassigned"), count: openUnassigned },
      { value: "others", label: t("assigned.others"), count: openOthers },
      ...toPersonChoices(assignees),
    ],
  };
}

function useReporterFilter({ reporters }: InboxFilterPeople): MultiValueFilter {
  const t = useTranslator("inbox");
  return { name: "reporter", label: t("reporter"), options: toPersonChoices(reporters) };
}

const toPersonChoices = (people: readonly { id: string; name: string }[]): Choice[] =>
  people.map(({ id, name }) => ({ value: id, label: name }));

type ListAddress = { path: string; view: IncidentListViewParams };
type Choice = { value: string; label: string; count?: number };
type MultiValueFilter = {
  name: IncidentFilterName;
  label: string;
  note?: string;
  options: readonly Choice[];
};

/** A filter with fixed values; any of the chosen ones matches. */
function useMultiValueChip({ path, view }: ListAddress) {
  const t = useTranslator("inbox");
  const chip = useFilterChip({ path, view });
  return ({ name, label, note, options }: MultiValueFilter): FilterChipData => {
    const values = listFilterValues(view, name);
    const ticks = options.map(({ value, label: word, count }) => ({
      value,
      label: word,
      ...(count !== undefined && { count: t("number", { count }) }),
      ...(values.includes(value) && { checked: true as const }),
    }));
    return chip({
      name,
      label,
      filters: [name],
      chosen: ticks.filter(({ checked }) => checked).map((tick) => tick.label),
      groups: [{ legend: label, ...(note && { note }), ticks }],
    });
  };
}

type Chip = Pick<FilterChipData, "name" | "label" | "groups"> & {
  /** Filters that the chip sets. */
  filters: readonly IncidentFilterName[];
  /** The chosen values, as labels. */
  chosen: readonly string[];
  end?: boolean;
};

function useFilterChip({ path, view }: ListAddress) {
  const t = useTranslator("inboxClient");
  const joinTexts = useCommaJoiner();
  return ({ name, label, filters, chosen, groups, end = false }: Chip): FilterChipData => ({
    name,
    label,
    chosen: chosen.length > 0 ? t("chip", { label, values: joinTexts(chosen) }) : null,
    preservedParams: listPreservedParams(view, filters),
    clear: buildChangedViewHref(path, view, Object.fromEntries(filters.map((filter) => [filter, null]))),
    end,
    groups,
  });
}

/** Builds the chip with the filter by date: from a day, and until a day, both included. */
function useDateChip({ path, view }: ListAddress): FilterChipData {
  const t = useTranslator("inbox");
  const { from, to } = view;
  return useFilterChip({ path, view })({
    name: "date",
    label: t("date"),
    filters: ["from", "to"],
    chosen: [...(from ? [t("fromDay", { day: from })] : []), ...(to ? [t("untilDay", { day: to })] : [])],
    end: true,
    groups: [
      {
        legend: t("date"),
        days: [
          { name: "from", label: t("from"), value: from?.slice(0, 10) ?? "" },
          { name: "to", label: t("until"), value: to?.slice(0, 10) ?? "" },
        ],
      },
    ],
  });
}

/** Builds the chip with the filters by deadline and by whose reply is awaited. */
function useClockChip({ path, view }: ListAddress): FilterChipData {
  const t = useTranslator("inbox");
  const [due, awaiting] = [listFilterValues(view, "due"), listFilterValues(view, "awaiting")];
  const groups = [
    {
      legend: t("due"),
      seen: true,
      ticks: DUE_FILTERS.map((value) => ({
        name: "due",
        value,
        label: t(`due.${value}`),
        ...(due.includes(value) && { checked: true as const }),
      })),
    },
    {
      legend: t("awaiting"),
      seen: true,
      ticks: SIDES_EXPECTED_TO_REPLY.map((value) => ({
        name: "awaiting",
        value,
        label: t(`awaiting.${value}`),
        ...(awaiting.includes(value) && { checked: true as const }),
      })),
    },
  ];
  const chosen = groups
    .flatMap(({ ticks }) => ticks.filter(({ checked }) => checked))
    .map(({ label }) => label);
  return useFilterChip({ path, view })({
    name: "clock",
    label: t("clock"),
    filters: ["due", "awaiting"],
    chosen,
    end: true,
    groups,
  });
}

const MORE_FILTERS = ["files", "anonymous", "escalated"] as const;

function useMoreChip({ path, view }: ListAddress): FilterChipData {
  const t = useTranslator("inbox");
  const ticks = MORE_FILTERS.map((name) => ({
    name,
    value: "true",
    label: t(`only.${name}`),
    ...(view[name] === "true" && { checked: true as const }),
  }));
  return useFilterChip({ path, view })({
    name: "more",
    label: t("more"),
    filters: MORE_FILTERS,
    chosen: ticks.filter(({ checked }) => checked).map(({ label }) => label),
    end: true,
    groups: [{ legend: t("more"), ticks }],
  });
}

type ToolsProps = Pick<Props, "path" | "view" | "isFiltered"> & {
  /** Path and query of this page, to return to. */
  here: string;
  preferences: InboxPreferences;
  /** The one event that the list covers; saved views then belong to it. */
  event: { slug: string } | null;
};

/** Sorting and density of the list, and the form to save it as a view. */
export function IncidentListToolbar({ path, view, isFiltered, here, preferences, event }: ToolsProps) {
  return (
    <>
      <SortMenu path={path} view={view} />
      <DensityToggle compact={preferences.compact} here={here} />
      {isFiltered && <SaveViewForm view={event ? { ...view, event: event.slug } : view} />}
    </>
  );
}

const SORT_ORDERS = [
  { name: "urgency", sort: "urgency", order: "desc" },
  { name: "newest", sort: "createdAt", order: "desc" },
  { name: "oldest", sort: "createdAt", order: "asc" },
  { name: "due", sort: "due", order: "asc" },
  { name: "severity", sort: "severity", order: "desc" },
  { name: "titleUp", sort: "title", order: "asc" },
  { name: "titleDown", sort: "title", order: "desc" },
  { name: "stateUp", sort: "status", order: "asc" },
  { name: "stateDown", sort: "status", order: "desc" },
] as const;

function SortMenu({ path, view }: { path: string; view: IncidentListViewParams }) {
  const t = useTranslator("inbox");
  const { sort, order } = getViewOrder(view);
  const current = SORT_ORDERS.find((one) => one.sort === sort && one.order === order) ?? SORT_ORDERS[0];
  const orders = SORT_ORDERS.map((one) => ({
    href: buildHrefWithQueryChanges(path, view, { sort: one.sort, order: one.order, page: null }),
    label: t(`order.${one.name}`),
    ...(one.name === "urgency" && { hint: t("order.urgencyHint") }),
    current: one === current,
  }));
  return <SortOrderMenu label={t(`order.${current.name}`)} orders={orders} />;
}

function DensityToggle({ compact, here }: { compact: boolean; here: string }) {
  const t = useTranslator("inbox");
  const label = t(compact ? "comfortable" : "compact");
  return (
    <form action={saveDensityOrShortcutsAction} className="hidden min-[56.25rem]:block">
      <input type="hidden" name="prefer" value="density" />
      <input type="hidden" name="path" value={here} />
      <button
        type="submit"
        name="value"
        value={compact ? "comfortable" : "compact"}
        aria-label={label}
        title={label}
        className={buildButtonClass("secondary", "w-11 px-0")}
      >
        <Icon as={compact ? "rows-2" : "rows-3"} />
      </button>
    </form>
  );
}

function SaveViewForm({ view }: { view: IncidentListViewParams }) {
  const t = useTranslator("inbox");
  return (
    <Form
      action={saveViewAction}
      hidden={{ query: formatViewQuery(view) }}
      dialog={{
        trigger: (
          <>
            <Icon as="save" /> {t("saveView.open")}
          </>
        ),
        title: t("saveViewTitle"),
      }}
    >
      <TextField
        name="name"
        label={t("viewName")}
        hint={t("viewNameHint")}
        maxLength={MAX_SAVED_VIEW_NAME_LENGTH}
        required
        autoComplete="off"
      />
      <SubmitButton pendingLabel={t("saving")}>{t("saveView")}</SubmitButton>
    </Form>
  );
}
