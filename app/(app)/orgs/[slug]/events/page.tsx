import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import {
  EventTable,
  joinEventsWithCounts,
  type EventTableSorting,
} from "#components/organization/event-table.tsx";
import { NewEventLink } from "#components/organization/new-event.tsx";
import { NoEventsState } from "#components/organization/no-events.tsx";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { loadPageData } from "#lib/http/page.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { listOrganizationEvents } from "#lib/events/operations.ts";
import { EVENT_SORTS } from "#lib/events/schema.ts";
import { hasAccessToEventOrOrganization } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "events");

export default definePage(async function Events({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  const path = `/orgs/${slug}/events`;
  const [{ events, pagination }, summary] = await Promise.all([
    loadPageData(listOrganizationEvents, { orgSlug: slug }, query),
    loadPageData(showEventsSummary, { orgSlug: slug }),
  ]);
  const rows = joinEventsWithCounts(events, summary.events);
  const view = parseEventListView(query);
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader
        organization={organization}
        current="events"
        may={may}
        actions={may.createEvent && <NewEventLink slug={slug} />}
      />
      {summary.totalEvents === 0 ? (
        <NoEventsState slug={slug} mayCreate={may.createEvent} />
      ) : (
        <>
          <EventFilters path={path} view={view} />
          {rows.length > 0 ? (
            <EventTable
              rows={rows}
              opens={(eventId) => hasAccessToEventOrOrganization(actor, { eventId })}
              sorting={buildSorting(path, view)}
            />
          ) : (
            <EventsEmptyState path={path} view={view} />
          )}
          <EventsPagination path={path} view={view} pagination={pagination} />
        </>
      )}
    </div>
  );
});

/** The list's view from the URL, without invalid values. */
type EventListView = { search: string; isActive: string; sort: string; order: string };

const parseEventListView = ({ search, isActive, sort, order }: SearchParams): EventListView => ({
  search: typeof search === "string" ? search : "",
  isActive: isActive === "true" || isActive === "false" ? isActive : "",
  sort: EVENT_SORTS.some((one) => one === sort) ? String(sort) : "",
  order: order === "asc" || order === "desc" ? order : "",
});

/** Text sorts ascending first, numbers and dates descending; a second press reverses the order. */
const buildSorting = (path: string, view: EventListView): EventTableSorting => ({
  of: (sort) => {
    const sorted: string = view.sort || "createdAt";
    const order = sorted === sort ? view.order || "desc" : undefined;
    const first = sort === "name" ? "asc" : "desc";
    const next = order === undefined ? first : order === "asc" ? "desc" : "asc";
    return {
      href: buildHrefWithQueryChanges(path, view, { sort, order: next }),
      direction: order === undefined ? undefined : order === "asc" ? "ascending" : "descending",
    };
  },
});

function EventFilters({ path, view }: { path: string; view: EventListView }) {
  const t = useTranslator("organization");
  const states = { true: t("event.active"), false: t("event.over") };
  const applied = useAppliedFilters(path, view, states);
  return (
    <FilterBar
      action={path}
      label={t("filterEvents")}
      keep={{ sort: view.sort, order: view.order }}
      applied={applied}
      clearHref={
        applied.length > 1
          ? buildHrefWithQueryChanges(path, view, { search: null, isActive: null })
          : undefined
      }
    >
      <FilterSearchField value={view.search} label={t("nameOrDescription")} />
      <FilterSelectField
        name="isActive"
        label={t("state")}
        any={t("state.any")}
        value={view.isActive}
        options={Object.entries(states).map(([value, label]) => ({ value, label }))}
      />
    </FilterBar>
  );
}

type StateLabels = { true: string; false: string };

/** The filters in effect, each with the link that removes it. */
function useAppliedFilters(
  path: string,
  view: EventListView,
  states: StateLabels,
): { label: string; href: string }[] {
  const t = useTranslator("organization");
  const hrefWithout = (name: "search" | "isActive") =>
    buildHrefWithQueryChanges(path, view, { [name]: null });
  return [
    ...(view.search
      ? [{ label: t("search.applied", { search: view.search }), href: hrefWithout("search") }]
      : []),
    ...(view.isActive
      ? [
          {
            label: t("state.applied", { state: states[view.isActive as keyof StateLabels] }),
            href: hrefWithout("isActive"),
          },
        ]
      : []),
  ];
}

function EventsEmptyState({ path, view }: { path: string; view: EventListView }) {
  const t = useTranslator("organization");
  const filtered = view.search !== "" || view.isActive !== "";
  return (
    <EmptyState
      icon="calendar-x"
      title={t(filtered ? "noEventMatches" : "pastEnd")}
      actions={<LinkButton href={path}>{t("showAllEvents")}</LinkButton>}
    />
  );
}

type PagesProps = { path: string; view: EventListView; pagination: { page: number; totalPages: number } };

function EventsPagination({ path, view, pagination }: PagesProps) {
  const t = useTranslator("organization");
  return (
    <PaginationNav
      path={path}
      query={view}
      page={pagination.page}
      pages={pagination.totalPages}
      label={t("eventPages")}
    />
  );
}
