import { CalendarPlus, CalendarX } from "lucide-react";
import type { Metadata } from "next";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { show, showIfThere } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { exactDate } from "#lib/design/time.ts";
import { listOrganizationEvents } from "#lib/events/operations.ts";
import { showInitialInvite } from "#lib/invites/operations.ts";
import { openOrganization, type OrganizationParams, titleOf } from "./organization.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> => titleOf(params);

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Overview({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, actor, may } = await openOrganization(slug);
  return (
    <div className="grid gap-6">
      <OrganizationHead
        organization={organization}
        current="overview"
        may={may}
        meta={organization.website && <Website href={organization.website} />}
        actions={
          may.createEvent && (
            <LinkButton href={`/orgs/${slug}/events/new`} variant="primary" icon={CalendarPlus}>
              New event
            </LinkButton>
          )
        }
      />
      <Done after={String(query.after ?? "")} organization={organization.name} />
      {actor.systemAdmin && (await firstInvite(slug))}
      {organization.description && (
        <p className="max-w-[68ch] whitespace-pre-line">{organization.description}</p>
      )}
      {await eventsOf({ slug, query, mayCreate: may.createEvent, opens: opensFor(actor) })}
    </div>
  );
});

function Website({ href }: { href: string }) {
  return (
    <a
      href={href}
      rel="noreferrer nofollow"
      className="text-link inline-flex min-h-11 items-center break-all"
    >
      {href.replace(/^https?:\/\//, "").replace(/\/$/, "")}
    </a>
  );
}

function Done({ after, organization }: { after: string; organization: string }) {
  if (after !== "created") return null;
  return (
    <Notice kind="success" title={`${organization} is created`} live>
      <p>One thing is left: hand the link below to whoever is to manage it.</p>
    </Notice>
  );
}

/** The invite that was made with the organization, for as long as nobody has used it. */
async function firstInvite(slug: string) {
  const found = await showIfThere(showInitialInvite, { orgSlug: slug });
  if (!found) return null;
  return (
    <Card title="Invite the first admin">
      <div className="grid max-w-2xl gap-4">
        <p className="text-muted">
          Whoever opens this link first becomes the admin of this organization, so send it to one person, in
          private. It works once, and stays here until then.
        </p>
        <CopyField label="Invite link" value={found.invite.url} />
      </div>
    </Card>
  );
}

/** In which events this person may open the list of reports: roles of an event, never of the organization. */
function opensFor(actor: { systemAdmin: boolean; events: { slug: string }[] }): (slug: string) => boolean {
  const held = new Set(actor.events.map((event) => event.slug));
  return (slug) => actor.systemAdmin || held.has(slug);
}

type EventsProps = { slug: string; query: Query; mayCreate: boolean; opens: (slug: string) => boolean };

async function eventsOf({ slug, query, mayCreate, opens }: EventsProps) {
  const [{ events, pagination }, summary] = await Promise.all([
    show(listOrganizationEvents, { orgSlug: slug }, query),
    show(showEventsSummary, { orgSlug: slug }),
  ]);
  const path = `/orgs/${slug}`;
  const filter = filterOf(query);
  const filtered = filter.search !== "" || filter.isActive !== "";
  if (summary.totalEvents === 0) return <NoEvents slug={slug} mayCreate={mayCreate} />;
  const sizes = new Map(summary.events.map((event) => [event.id, event]));
  const rows = events.map((event) => ({
    ...event,
    reports: sizes.get(event.id)?.reportCount ?? 0,
    team: sizes.get(event.id)?.teamSize ?? 0,
  }));
  return (
    <section className="grid gap-4" aria-labelledby="events">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6">
        <h2 id="events" className="text-xl">
          Events
        </h2>
        <p className="text-muted">
          {summary.activeEvents} active, {summary.totalEvents} in all
        </p>
      </div>
      <Filters path={path} filter={filter} />
      {rows.length > 0 ? (
        <Card padded={false}>
          <Table
            caption="Events, the newest first"
            rows={rows}
            rowKey={({ id }) => id}
            columns={columnsFor(opens)}
          />
        </Card>
      ) : (
        <EmptyState
          icon={CalendarX}
          title={filtered ? "No event matches" : "This page is past the end of the list"}
          actions={<LinkButton href={path}>Show all events</LinkButton>}
        />
      )}
      <Pagination
        path={path}
        query={filter}
        page={pagination.page}
        pages={pagination.totalPages}
        label="Pages of events"
      />
    </section>
  );
}

type Filter = { search: string; isActive: string };

const filterOf = (query: Query): Filter => ({
  search: typeof query.search === "string" ? query.search : "",
  isActive: query.isActive === "true" || query.isActive === "false" ? query.isActive : "",
});

const STATES: Record<string, string> = { true: "Active", false: "Over" };

function Filters({ path, filter }: { path: string; filter: Filter }) {
  const applied = [
    ...(filter.search
      ? [{ label: `Search: ${filter.search}`, href: hrefWith(path, filter, { search: null }) }]
      : []),
    ...(filter.isActive
      ? [{ label: `State: ${STATES[filter.isActive]}`, href: hrefWith(path, filter, { isActive: null }) }]
      : []),
  ];
  return (
    <FilterBar
      action={path}
      label="Filter events"
      applied={applied}
      clearHref={applied.length > 1 ? path : undefined}
    >
      <FilterSearch value={filter.search} maxLength={200} label="Name or description" />
      <FilterSelect
        name="isActive"
        label="State"
        any="Any"
        value={filter.isActive}
        options={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
      />
    </FilterBar>
  );
}

type Row = {
  id: string;
  name: string;
  slug: string;
  isActive: boolean;
  startDate: string | null;
  endDate: string | null;
  reports: number;
  team: number;
};

function columnsFor(opens: EventsProps["opens"]): Column<Row>[] {
  return [
    {
      key: "name",
      header: "Event",
      rowHeader: true,
      cell: (event) => <TextLink href={`/e/${event.slug}`}>{event.name}</TextLink>,
    },
    { key: "dates", header: "When", cell: (event) => daysOf(event) },
    {
      key: "state",
      header: "State",
      cell: (event) => (event.isActive ? <Badge tone="positive">Active</Badge> : <Badge>Over</Badge>),
    },
    {
      key: "reports",
      header: "Reports",
      align: "end",
      cell: (event) =>
        opens(event.slug) ? (
          <TextLink
            href={`/e/${event.slug}/incidents`}
            aria-label={`${event.reports} reports of ${event.name}`}
            className="-my-2.5 inline-block min-w-11 py-2.5"
          >
            {event.reports}
          </TextLink>
        ) : (
          event.reports
        ),
    },
    { key: "team", header: "Team", align: "end", cell: (event) => event.team },
  ];
}

function daysOf({ startDate, endDate }: Pick<Row, "startDate" | "endDate">): string {
  const [start, end] = [startDate, endDate].map((at) => at && exactDate(new Date(at)));
  if (start && end) return start === end ? start : `${start} to ${end}`;
  if (start) return `From ${start}`;
  return end ? `Until ${end}` : "No dates";
}

function NoEvents({ slug, mayCreate }: { slug: string; mayCreate: boolean }) {
  return (
    <EmptyState
      icon={CalendarPlus}
      title="No event yet"
      actions={
        mayCreate && (
          <LinkButton href={`/orgs/${slug}/events/new`} variant="primary">
            Create the first event
          </LinkButton>
        )
      }
    >
      <p>Each event has a page of its own where people report, and a team that reads what they say.</p>
    </EmptyState>
  );
}
