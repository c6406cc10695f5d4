import { ArrowDownUp } from "lucide-react";
import { buttonClass } from "#components/ui/button.tsx";
import type { Option } from "#components/ui/field.tsx";
import { type AppliedFilter, FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import { Tabs } from "#components/ui/tabs.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import { SEVERITIES, STATES } from "#lib/incidents/schema.ts";
import { SEVERITY_WORDS } from "./words.ts";

type Props = {
  path: string;
  query: Query;
  /** Reporters filter their own reports by words and state; the team by everything. */
  team: boolean;
  /** Events to choose from, where the list holds several. */
  events?: readonly Option[];
};

/** Search, filters and order of a list of reports, in the address bar under the names of the API. */
export function IncidentFilters({ path, query, team, events = [] }: Props) {
  const filters = filtersOf(team, events);
  const search = textOf(query.search);
  return (
    <div className="grid gap-3">
      {team && <Views path={path} query={query} />}
      <FilterBar
        action={path}
        label="Search reports"
        keep={{ sort: textOf(query.sort), order: textOf(query.order), limit: textOf(query.limit) }}
        applied={appliedOf({ path, query, filters })}
        clearHref={cleared(path, query)}
      >
        <FilterSearch
          label={team ? "Words in title, report or name" : "Words in your reports"}
          value={search}
          maxLength={200}
        />
        {filters.map(({ name, label, any, options }) => (
          <FilterSelect
            key={name}
            name={name}
            label={label}
            any={any}
            options={options}
            value={textOf(query[name])}
          />
        ))}
      </FilterBar>
    </div>
  );
}

/** True where the list shows less than there is. */
export const isFiltered = (query: Query): boolean =>
  FILTER_NAMES.some((name) => textOf(query[name]) !== undefined);

/** The same list without its filters; the order stays. */
export const cleared = (path: string, query: Query): string =>
  hrefWith(path, query, Object.fromEntries([...FILTER_NAMES, "page"].map((name) => [name, null])));

/** How the list is ordered, as links. */
export function SortMenu({ path, query }: { path: string; query: Query }) {
  const sort = textOf(query.sort) ?? "createdAt";
  const order = textOf(query.order) ?? "desc";
  const current = ORDERS.find((one) => one.sort === sort && one.order === order) ?? ORDERS[0];
  return (
    <Menu
      triggerClass={buttonClass("secondary")}
      trigger={
        <>
          <Icon as={ArrowDownUp} /> {current.label}
        </>
      }
    >
      {ORDERS.map((one) => (
        <Link
          key={one.label}
          href={hrefWith(path, query, { sort: one.sort, order: one.order, page: null })}
          aria-current={one === current ? "true" : undefined}
          className={menuItemClass}
        >
          {one.label}
        </Link>
      ))}
    </Menu>
  );
}

const ORDERS = [
  { label: "Newest first", sort: "createdAt", order: "desc" },
  { label: "Oldest first", sort: "createdAt", order: "asc" },
  { label: "Title, A to Z", sort: "title", order: "asc" },
  { label: "Title, Z to A", sort: "title", order: "desc" },
  { label: "State, submitted first", sort: "status", order: "asc" },
  { label: "State, closed first", sort: "status", order: "desc" },
] as const;

/** What the team asks for most, one press away. */
function Views({ path, query }: { path: string; query: Query }) {
  const only = { ...query, ...Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])) };
  const views = [
    { label: "All", status: undefined, assigned: undefined },
    { label: "Unanswered", status: "submitted", assigned: undefined },
    { label: "Mine", status: undefined, assigned: "me" },
    { label: "Unassigned", status: undefined, assigned: "unassigned" },
  ];
  const others = FILTER_NAMES.filter((name) => name !== "status" && name !== "assigned");
  const plain = others.every((name) => textOf(query[name]) === undefined);
  const items = views.map(({ label, status, assigned }) => ({
    label,
    href: hrefWith(path, only, { status: status ?? null, assigned: assigned ?? null, page: null }),
    current: plain && textOf(query.status) === status && textOf(query.assigned) === assigned,
  }));
  return <Tabs label="Views" items={items} />;
}

type Filter = { name: string; label: string; any: string; options: readonly Option[] };

function filtersOf(team: boolean, events: readonly Option[]): Filter[] {
  const state = {
    name: "status",
    label: "State",
    any: "Any state",
    options: STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
  };
  const event = { name: "event", label: "Event", any: "All events", options: events };
  const severity = {
    name: "severity",
    label: "Severity",
    any: "Any severity",
    options: SEVERITIES.toReversed().map((value) => ({ value, label: SEVERITY_WORDS[value] })),
  };
  const assigned = {
    name: "assigned",
    label: "Assigned",
    any: "Anyone",
    options: [
      { value: "me", label: "To me" },
      { value: "unassigned", label: "To nobody" },
      { value: "others", label: "To others" },
    ],
  };
  return [state, ...(team ? [severity, assigned] : []), ...(events.length > 1 ? [event] : [])];
}

const FILTER_NAMES = ["search", "status", "severity", "priority", "assigned", "event"];

function appliedOf({
  path,
  query,
  filters,
}: Pick<Props, "path" | "query"> & { filters: Filter[] }): AppliedFilter[] {
  const search = textOf(query.search);
  const without = (name: string) => hrefWith(path, query, { [name]: null, page: null });
  const chosen = filters.flatMap(({ name, label, options }) => {
    const option = options.find(({ value }) => value === textOf(query[name]));
    return option ? [{ label: `${label}: ${option.label}`, href: without(name) }] : [];
  });
  return [...(search ? [{ label: `Words: ${search}`, href: without("search") }] : []), ...chosen];
}

const textOf = (value: Query[string]): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
