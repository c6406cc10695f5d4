import { ChartColumn, Download } from "lucide-react";
import type { Metadata } from "next";
import type { z } from "zod";
import { SeverityBadge, StateBadge } from "#components/incident/badges.tsx";
import { SEVERITY_WORDS } from "#components/incident/words.ts";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { Tiles } from "#components/organization/tiles.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass, LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CategoryChart, MonthlyChart } from "#components/ui/chart.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { eventFinding, monthlyFinding, severityFinding, statusFinding } from "#lib/analytics/findings.ts";
import { showAnalytics, showEventsSummary } from "#lib/analytics/operations.ts";
import type { Analytics } from "#lib/analytics/schema.ts";
import { show } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { monthName } from "#lib/design/time.ts";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import { SEVERITIES, type Severity, type State, STATES } from "#lib/incidents/schema.ts";
import { isTeam } from "#lib/policy.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";
import { chartRowsOf, type Filter, filterOf, RANGES } from "./filter.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "Insights");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Insights({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, actor, may } = await openOrganization(slug);
  const query = await searchParams;
  const summary = await show(showEventsSummary, { orgSlug: slug });
  const filter = filterOf(query, summary.events);
  const counted = await show(showAnalytics, { orgSlug: slug }, filter);
  const path = `/orgs/${slug}/insights`;
  const slugs = new Map(summary.events.map((event) => [event.id, event.slug]));
  // Who belongs to an event's team may read its reports; a role in the organization opens none.
  const opens = (eventId: string) => (isTeam(actor, eventId) ? slugs.get(eventId) : undefined);
  return (
    <div className="grid gap-6">
      <OrganizationHead
        organization={organization}
        current="insights"
        may={may}
        actions={<Exports path={path} filter={filter} />}
      />
      {typeof query.export === "string" && <ExportFailed code={query.export} />}
      <Filters path={path} filter={filter} events={summary.events} />
      <Tiles metrics={counted.metrics} />
      {counted.metrics.totalReports === 0 ? (
        <Nothing path={path} filter={filter} />
      ) : (
        <>
          <Charts counted={counted} filter={filter} />
          <Recent reports={counted.recentReports} opens={opens} now={new Date()} />
        </>
      )}
    </div>
  );
});

/** Downloads, so plain links: nothing to render, nothing to fetch ahead. */
function Exports({ path, filter }: { path: string; filter: Filter }) {
  return (
    <>
      {(["csv", "pdf"] as const).map((format) => (
        <a
          key={format}
          href={hrefWith(`${path}/export`, filter, { format })}
          download
          className={buttonClass()}
        >
          <Icon as={Download} />
          {format.toUpperCase()}
          <span className="sr-only"> of the reports shown here</span>
        </a>
      ))}
    </>
  );
}

function ExportFailed({ code }: { code: string }) {
  const busy = code === "RATE_LIMITED" || code === "SERVICE_UNAVAILABLE";
  return (
    <Notice kind="warning" title="The export could not be made" live>
      <p>
        {busy
          ? "There are too many at the moment. Please try again in a minute."
          : "Please check the filters, and try again."}
      </p>
    </Notice>
  );
}

type FiltersProps = { path: string; filter: Filter; events: { id: string; name: string }[] };

function Filters({ path, filter, events }: FiltersProps) {
  const eventName = events.find(({ id }) => id === filter.eventId)?.name;
  const applied = [
    eventName && { label: `Event: ${eventName}`, href: hrefWith(path, filter, { eventId: null }) },
    filter.status && {
      label: `State: ${STATE_WORDS[filter.status as State]}`,
      href: hrefWith(path, filter, { status: null }),
    },
    filter.severity && {
      label: `Severity: ${SEVERITY_WORDS[filter.severity as Severity]}`,
      href: hrefWith(path, filter, { severity: null }),
    },
  ].filter((one) => typeof one === "object");
  return (
    <FilterBar
      action={path}
      label="Filter the numbers"
      applied={applied}
      clearHref={applied.length > 1 ? hrefWith(path, {}, { timeRange: filter.timeRange ?? null }) : undefined}
    >
      <FilterSelect
        name="timeRange"
        label="Time"
        any="Last 30 days"
        value={filter.timeRange}
        options={RANGES}
      />
      <FilterSelect
        name="eventId"
        label="Event"
        any="All events"
        value={filter.eventId}
        options={events.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelect
        name="status"
        label="State"
        any="Any state"
        value={filter.status}
        options={STATES.map((value) => ({ value, label: STATE_WORDS[value] }))}
      />
      <FilterSelect
        name="severity"
        label="Severity"
        any="Any severity"
        value={filter.severity}
        options={SEVERITIES.map((value) => ({ value, label: SEVERITY_WORDS[value] }))}
      />
    </FilterBar>
  );
}

function Nothing({ path, filter }: { path: string; filter: Filter }) {
  const filtered = Object.keys(filter).some((name) => name !== "timeRange");
  const all = filter.timeRange === "all";
  return (
    <EmptyState
      icon={ChartColumn}
      title={filtered ? "No report matches these filters" : all ? "No report yet" : "No report in this time"}
      actions={
        (filtered || !all) && (
          <LinkButton href={hrefWith(path, {}, { timeRange: "all" })}>
            Show everything since the start
          </LinkButton>
        )
      }
    >
      <p>As soon as somebody reports at one of the events, the numbers appear here.</p>
    </EmptyState>
  );
}

type Counted = z.output<typeof Analytics>;

function Charts({ counted, filter }: { counted: Counted; filter: Filter }) {
  const severityRows = counted.bySeverity.map(({ severity, count }) => ({
    label: severity === "none" ? "Not set" : SEVERITY_WORDS[severity],
    value: count,
    color: `severity-${severity}` as const,
  }));
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card>
        <MonthlyChart
          id="months"
          level={2}
          title={monthlyFinding(counted.monthlyTrends)}
          note="By the month they were made, and the month they were resolved"
          names={{ count: "Reports", resolved: "Resolved" }}
          points={counted.monthlyTrends.map(({ month, ...point }) => ({ label: monthName(month), ...point }))}
        />
      </Card>
      <Card>
        <CategoryChart
          id="states"
          level={2}
          title={statusFinding(counted.byStatus)}
          note="By the state they are in now"
          names={{ label: "State", value: "Reports" }}
          rows={counted.byStatus.map(({ status, count }) => ({
            label: STATE_WORDS[status],
            value: count,
            color: `state-${status}` as const,
          }))}
        />
      </Card>
      <Card>
        <CategoryChart
          id="severities"
          level={2}
          title={severityFinding(counted.bySeverity)}
          note="By severity, as the teams have set it"
          names={{ label: "Severity", value: "Reports" }}
          rows={severityRows}
        />
      </Card>
      {!filter.eventId && (
        <Card>
          <CategoryChart
            id="events"
            level={2}
            title={eventFinding(counted.byEvent)}
            note="By event, those with the most first"
            names={{ label: "Event", value: "Reports" }}
            rows={chartRowsOf(counted.byEvent)}
          />
        </Card>
      )}
    </div>
  );
}

type Report = Counted["recentReports"][number];
type RecentProps = { reports: Report[]; opens: (eventId: string) => string | undefined; now: Date };

function Recent({ reports, opens, now }: RecentProps) {
  const columns: Column<Report>[] = [
    {
      key: "title",
      header: "Title",
      rowHeader: true,
      cell: (report) => {
        const event = opens(report.eventId);
        return event ? <TextLink href={`/e/${event}/i/${report.id}`}>{report.title}</TextLink> : report.title;
      },
    },
    { key: "status", header: "State", cell: (report) => <StateBadge state={report.status} /> },
    { key: "severity", header: "Severity", cell: (report) => <SeverityBadge severity={report.severity} /> },
    { key: "event", header: "Event", cell: (report) => report.eventName },
    {
      key: "createdAt",
      header: "Reported",
      align: "end",
      cell: (report) => <Time value={report.createdAt} now={now} />,
    },
  ];
  return (
    <Card
      title={reports.length === 1 ? "The newest report" : `The ${reports.length} newest reports`}
      padded={false}
    >
      <Table caption="The newest reports" columns={columns} rows={reports} rowKey={({ id }) => id} />
    </Card>
  );
}
