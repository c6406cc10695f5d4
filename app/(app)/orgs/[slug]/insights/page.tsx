import { ChartColumn, Download, GitCompareArrows } from "lucide-react";
import type { Metadata } from "next";
import { useLocale, useWords } from "#words";
import { InsightCharts } from "#components/organization/insight-charts.tsx";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { RecentReports } from "#components/organization/recent-reports.tsx";
import { Tiles } from "#components/organization/tiles.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass, LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { showAnalytics, showEventsSummary, showInsights } from "#lib/analytics/operations.ts";
import { startBefore, startOf, TIME_RANGES, type TimeRange } from "#lib/analytics/period.ts";
import { show } from "#lib/http/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { exactDate } from "#lib/design/time.ts";
import { SEVERITIES_AND_NONE, type Severity, type State, STATES } from "#lib/incidents/schema.ts";
import { isTeam } from "#lib/operation/policy.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";
import { askedIn, chartRowsOf, filtered, filterOf, kept, type Shown, viewed, viewOf } from "./filter.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "insights");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Insights({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, actor, may } = await openOrganization(slug);
  const query = await searchParams;
  const { events } = await show(showEventsSummary, { orgSlug: slug });
  const [asked, filter] = [askedIn(query), filterOf(query)];
  const shown: Shown = { path: `/orgs/${slug}/insights`, filter, view: viewOf(query, filter) };
  const [counted, insights] = await Promise.all([
    show(showAnalytics, { orgSlug: slug }, asked),
    show(showInsights, { orgSlug: slug }, { ...asked, compare: String(shown.view.compare) }),
  ]);
  const slugs = new Map(events.map((event) => [event.id, event.slug]));
  // Who belongs to an event's team may read its reports; a role in the organization opens none.
  const opens = (eventId: string) => (isTeam(actor, eventId) ? slugs.get(eventId) : undefined);
  const now = new Date();
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHead
        organization={organization}
        current="insights"
        may={may}
        actions={<Exports shown={shown} />}
      />
      {typeof query.export === "string" && <ExportFailed code={query.export} />}
      <Periods shown={shown} />
      <Filters shown={shown} events={events} />
      <Counted shown={shown} now={now} />
      <Tiles metrics={counted.metrics} insights={insights} now={now} />
      {counted.metrics.totalReports === 0 ? (
        <Nothing shown={shown} />
      ) : (
        <>
          <InsightCharts
            counted={counted}
            insights={insights}
            stack={shown.view.stack}
            stackHref={(stack) => viewed(shown, { stack })}
            eventRows={filter.eventId ? null : eventRows(counted.byEvent, opens)}
          />
          <RecentReports reports={counted.recentReports} opens={opens} now={now} />
        </>
      )}
    </div>
  );
});

type EventCounts = Parameters<typeof chartRowsOf>[0];

/** The bars of the events, with a way to the reports for who may read them. */
const eventRows = (byEvent: EventCounts, opens: (eventId: string) => string | undefined) => {
  const t = useWords("insights");
  const open = new Set(byEvent.flatMap(({ eventId }) => opens(eventId) ?? []));
  return chartRowsOf(byEvent, (count) => t("events.others", { count })).map(({ slug, ...row }) =>
    slug && open.has(slug) ? { ...row, href: `/e/${slug}/incidents` } : row,
  );
};

/** Downloads, so plain links: nothing to render, nothing to fetch ahead. */
function Exports({ shown: { path, filter } }: { shown: Shown }) {
  const t = useWords("insights");
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
          {t(`export.${format}`)}
          <span className="sr-only"> {t("export.about")}</span>
        </a>
      ))}
    </>
  );
}

function ExportFailed({ code }: { code: string }) {
  const t = useWords("insights");
  const busy = code === "RATE_LIMITED" || code === "SERVICE_UNAVAILABLE";
  return (
    <Notice kind="warning" title={t("export.failed")} live>
      <p>{t(busy ? "export.busy" : "export.check")}</p>
    </Notice>
  );
}

const rangeOf = ({ filter }: Shown) => (filter.timeRange ?? "30d") as TimeRange;

function Periods({ shown }: { shown: Shown }) {
  const t = useWords("insights");
  return (
    <Tabs
      look="pills"
      label={t("period")}
      items={TIME_RANGES.map((range) => ({
        label: t(`range.${range}`),
        href: filtered(shown, { timeRange: range === "30d" ? null : range }),
        current: range === rangeOf(shown),
      }))}
    />
  );
}

type FiltersProps = { shown: Shown; events: { id: string; name: string }[] };

function Filters({ shown, events }: FiltersProps) {
  const t = useWords("insights");
  const { eventId, status, severity } = shown.filter;
  const words = useWords("incident");
  const event = events.find(({ id }) => id === eventId)?.name;
  const chip = (name: "eventId" | "status" | "severity", label: string, value: string | undefined) =>
    value ? [{ label: t("applied", { name: label, value }), href: filtered(shown, { [name]: null }) }] : [];
  const applied = [
    ...chip("eventId", t("event"), event),
    ...chip("status", t("state"), status && words(`state.${status as State}`)),
    ...chip("severity", t("severity"), severity && words(`severity.${severity as Severity}`)),
  ];
  return (
    <FilterBar
      action={shown.path}
      label={t("filters")}
      keep={kept(shown)}
      applied={applied}
      clearHref={
        applied.length > 1 ? filtered(shown, { eventId: null, status: null, severity: null }) : undefined
      }
    >
      <FilterSelect
        name="eventId"
        label={t("event")}
        any={t("event.any")}
        value={eventId}
        options={events.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelect
        name="status"
        label={t("state")}
        any={t("state.any")}
        value={status}
        options={STATES.map((value) => ({ value, label: words(`state.${value}`) }))}
      />
      <FilterSelect
        name="severity"
        label={t("severity")}
        any={t("severity.any")}
        value={severity}
        options={SEVERITIES_AND_NONE.map((value) => ({ value, label: words(`severity.${value}`) }))}
      />
    </FilterBar>
  );
}

/** Which days are counted, and those that they are compared with. */
function Counted({ shown, now }: { shown: Shown; now: Date }) {
  const t = useWords("insights");
  const locale = useLocale();
  const [since, before] = [startOf(rangeOf(shown), now), startBefore(rangeOf(shown), now)];
  const day = (at: Date) => exactDate(at, locale);
  const { compare } = shown.view;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-muted">
      <p>
        {since ? t("made", { from: day(since), to: day(now) }) : t("madeUntil", { to: day(now) })}
        {compare && since && before && (
          <>
            <br />
            {t("madeBefore", { from: day(before), to: day(since) })}
          </>
        )}
      </p>
      {since && (
        <LinkButton variant="quiet" icon={GitCompareArrows} href={viewed(shown, { compare: !compare })}>
          {t(compare ? "compare.stop" : "compare")}
        </LinkButton>
      )}
    </div>
  );
}

function Nothing({ shown: { path, filter } }: { shown: Shown }) {
  const t = useWords("insights");
  const narrowed = Object.keys(filter).some((name) => name !== "timeRange");
  const all = filter.timeRange === "all";
  return (
    <EmptyState
      icon={ChartColumn}
      title={t(narrowed ? "empty.filtered" : all ? "empty.ever" : "empty.period")}
      actions={
        (narrowed || !all) && (
          <LinkButton href={hrefWith(path, {}, { timeRange: "all" })}>{t("empty.all")}</LinkButton>
        )
      }
    >
      {!narrowed && <p>{t("empty.about")}</p>}
    </EmptyState>
  );
}
