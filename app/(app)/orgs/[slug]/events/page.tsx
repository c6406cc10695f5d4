import { CalendarX } from "lucide-react";
import type { Metadata } from "next";
import { useWords } from "#words";
import { EventTable, listedEvents, type Sorting } from "#components/organization/event-table.tsx";
import { NewEvent } from "#components/organization/new-event.tsx";
import { NoEvents } from "#components/organization/no-events.tsx";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { show } from "#lib/http/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { listOrganizationEvents } from "#lib/events/operations.ts";
import { EVENT_SORTS } from "#lib/events/schema.ts";
import { belongsTo } from "#lib/operation/policy.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "events");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Events({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, actor, may } = await openOrganization(slug);
  const path = `/orgs/${slug}/events`;
  const [{ events, pagination }, summary] = await Promise.all([
    show(listOrganizationEvents, { orgSlug: slug }, query),
    show(showEventsSummary, { orgSlug: slug }),
  ]);
  const rows = listedEvents(events, summary.events);
  const view = viewOf(query);
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHead
        organization={organization}
        current="events"
        may={may}
        actions={may.createEvent && <NewEvent slug={slug} />}
      />
      {summary.totalEvents === 0 ? (
        <NoEvents slug={slug} mayCreate={may.createEvent} />
      ) : (
        <>
          <Filters path={path} view={view} />
          {rows.length > 0 ? (
            <EventTable
              rows={rows}
              opens={(eventId) => belongsTo(actor, { eventId })}
              sorting={sortingOf(path, view)}
            />
          ) : (
            <Nothing path={path} view={view} />
          )}
          <Pages path={path} view={view} pagination={pagination} />
        </>
      )}
    </div>
  );
});

/** The list as the address holds it; what makes no sense is left out. */
type View = { search: string; isActive: string; sort: string; order: string };

const viewOf = ({ search, isActive, sort, order }: Query): View => ({
  search: typeof search === "string" ? search : "",
  isActive: isActive === "true" || isActive === "false" ? isActive : "",
  sort: EVENT_SORTS.some((one) => one === sort) ? String(sort) : "",
  order: order === "asc" || order === "desc" ? order : "",
});

/** Text begins at its start, numbers and days at the greatest; a second press turns it around. */
const sortingOf = (path: string, view: View): Sorting => ({
  of: (sort) => {
    const sorted: string = view.sort || "createdAt";
    const order = sorted === sort ? view.order || "desc" : undefined;
    const first = sort === "name" ? "asc" : "desc";
    const next = order === undefined ? first : order === "asc" ? "desc" : "asc";
    return {
      href: hrefWith(path, view, { sort, order: next }),
      direction: order === undefined ? undefined : order === "asc" ? "ascending" : "descending",
    };
  },
});

function Filters({ path, view }: { path: string; view: View }) {
  const t = useWords("organization");
  const states = { true: t("event.active"), false: t("event.over") };
  const without = (name: "search" | "isActive") => hrefWith(path, view, { [name]: null });
  const applied = [
    ...(view.search
      ? [{ label: t("search.applied", { search: view.search }), href: without("search") }]
      : []),
    ...(view.isActive
      ? [
          {
            label: t("state.applied", { state: states[view.isActive as keyof typeof states] }),
            href: without("isActive"),
          },
        ]
      : []),
  ];
  return (
    <FilterBar
      action={path}
      label={t("filterEvents")}
      keep={{ sort: view.sort, order: view.order }}
      applied={applied}
      clearHref={applied.length > 1 ? hrefWith(path, view, { search: null, isActive: null }) : undefined}
    >
      <FilterSearch value={view.search} maxLength={200} label={t("nameOrDescription")} />
      <FilterSelect
        name="isActive"
        label={t("state")}
        any={t("state.any")}
        value={view.isActive}
        options={Object.entries(states).map(([value, label]) => ({ value, label }))}
      />
    </FilterBar>
  );
}

function Nothing({ path, view }: { path: string; view: View }) {
  const t = useWords("organization");
  const filtered = view.search !== "" || view.isActive !== "";
  return (
    <EmptyState
      icon={CalendarX}
      title={t(filtered ? "noEventMatches" : "pastEnd")}
      actions={<LinkButton href={path}>{t("showAllEvents")}</LinkButton>}
    />
  );
}

type PagesProps = { path: string; view: View; pagination: { page: number; totalPages: number } };

function Pages({ path, view, pagination }: PagesProps) {
  const t = useWords("organization");
  return (
    <Pagination
      path={path}
      query={view}
      page={pagination.page}
      pages={pagination.totalPages}
      label={t("eventPages")}
    />
  );
}
