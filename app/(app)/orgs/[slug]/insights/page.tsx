import type { Metadata } from "next";
import { useLocale, useTranslator } from "#i18n";
import { InsightCharts } from "#components/organization/insight-charts.tsx";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { RecentReportsTable } from "#components/organization/recent-reports.tsx";
import { InsightTiles } from "#components/organization/tiles.tsx";
import { definePage } from "#components/shell/page.tsx";
import { buildButtonClass, LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterDateField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { showAnalytics, showEventsSummary, showInsights } from "#lib/analytics/operations.ts";
import {
  isCustomPeriod,
  computeLastDayOfPeriod,
  computePeriodStart,
  computePreviousPeriodStart,
  TIME_RANGE_NAMES,
} from "#lib/analytics/period.ts";
import { loadPageData } from "#lib/http/page.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { formatDate, formatCalendarDate, createUtcTimeFormatOptions } from "#lib/design/time.ts";
import {
  SEVERITIES_AND_NONE,
  type Severity,
  type IncidentState,
  INCIDENT_STATES,
} from "#lib/incidents/schema.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import {
  pickInsightsFilterParams,
  buildEventChartBars,
  buildInsightsFilterHref,
  parseInsightsFilter,
  buildInsightsHiddenParams,
  type InsightsPageState,
  buildInsightsDisplayHref,
  parseInsightsDisplayOptions,
  toPeriodFilter,
} from "./filter.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "insights");

export default definePage(async function Insights({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  const query = await searchParams;
  const { events, pageState, analytics, insights } = await loadInsightsPage(slug, query);
  const slugs = new Map(events.map((event) => [event.id, event.slug]));
  // Members of an event's team may read its incidents; a role in the organization alone doesn't allow it.
  const opens = (eventId: string) => (hasTeamAccessToEvent(actor, eventId) ? slugs.get(eventId) : undefined);
  const now = new Date();
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader
        organization={organization}
        current="insights"
        may={may}
        actions={<ExportLinks shown={pageState} />}
      />
      {typeof query.export === "string" && <ExportFailedNotice code={query.export} />}
      <PeriodTabs shown={pageState} />
      <InsightsFilters shown={pageState} events={events} />
      <CountedPeriod shown={pageState} now={now} />
      <InsightTiles metrics={analytics.metrics} insights={insights} now={now} />
      {analytics.metrics.totalReports === 0 ? (
        <InsightsEmptyState shown={pageState} />
      ) : (
        <>
          <InsightCharts
            counted={analytics}
            insights={insights}
            allTime={computePeriodStart({ filter: toPeriodFilter(pageState.filter), now }) === undefined}
            stack={pageState.view.stack}
            stackHref={(stack) => buildInsightsDisplayHref(pageState, { stack })}
            eventRows={pageState.filter.eventId ? null : buildLinkedEventRows(analytics.byEvent, opens)}
          />
          <RecentReportsTable reports={analytics.recentReports} opens={opens} now={now} />
        </>
      )}
    </div>
  );
});

async function loadInsightsPage(slug: string, query: SearchParams) {
  const { events } = await loadPageData(showEventsSummary, { orgSlug: slug });
  const [requestedFilters, filter] = [pickInsightsFilterParams(query), parseInsightsFilter(query)];
  const pageState: InsightsPageState = {
    path: `/orgs/${slug}/insights`,
    filter,
    view: parseInsightsDisplayOptions(query, filter),
  };
  const [analytics, insights] = await Promise.all([
    loadPageData(showAnalytics, { orgSlug: slug }, requestedFilters),
    loadPageData(
      showInsights,
      { orgSlug: slug },
      { ...requestedFilters, compare: String(pageState.view.compare) },
    ),
  ]);
  return { events, pageState, analytics, insights };
}

type EventCounts = Parameters<typeof buildEventChartBars>[0];

/** One bar per event, with a link to its incidents for those who may read them. */
const buildLinkedEventRows = (byEvent: EventCounts, opens: (eventId: string) => string | undefined) => {
  const t = useTranslator("insights");
  const open = new Set(byEvent.flatMap(({ eventId }) => opens(eventId) ?? []));
  return buildEventChartBars(byEvent, (count) => t("events.others", { count })).map(({ slug, ...row }) =>
    slug && open.has(slug) ? { ...row, href: `/e/${slug}/incidents` } : row,
  );
};

/** Plain links, because they are downloads: nothing to render or prefetch. */
function ExportLinks({ shown: { path, filter } }: { shown: InsightsPageState }) {
  const t = useTranslator("insights");
  return (
    <>
      {(["csv", "pdf"] as const).map((format) => (
        <a
          key={format}
          href={buildHrefWithQueryChanges(`${path}/export`, filter, { format })}
          download
          className={buildButtonClass()}
        >
          <Icon as="download" />
          {t(`export.${format}`)}
          <span className="sr-only"> {t("export.about")}</span>
        </a>
      ))}
    </>
  );
}

function ExportFailedNotice({ code }: { code: string }) {
  const t = useTranslator("insights");
  const busy = code === "RATE_LIMITED" || code === "SERVICE_UNAVAILABLE";
  return (
    <Notice kind="warning" title={t("export.failed")} live>
      <p>{t(busy ? "export.busy" : "export.check")}</p>
    </Notice>
  );
}

function PeriodTabs({ shown: pageState }: { shown: InsightsPageState }) {
  const t = useTranslator("insights");
  const period = toPeriodFilter(pageState.filter);
  return (
    <Tabs
      variant="pills"
      label={t("period")}
      items={TIME_RANGE_NAMES.map((range) => ({
        label: t(`range.${range}`),
        href: buildInsightsFilterHref(pageState, {
          timeRange: range === "30d" ? null : range,
          from: null,
          to: null,
        }),
        current: !isCustomPeriod(period) && range === period.timeRange,
      }))}
    />
  );
}

type FiltersProps = { shown: InsightsPageState; events: { id: string; name: string }[] };

function InsightsFilters({ shown: pageState, events }: FiltersProps) {
  const t = useTranslator("insights");
  const { eventId, status, severity } = pageState.filter;
  const tIncident = useTranslator("incident");
  const applied = listAppliedFilters(pageState, events);
  return (
    <FilterBar
      action={pageState.path}
      label={t("filters")}
      keep={buildInsightsHiddenParams(pageState)}
      applied={applied}
      clearHref={applied.length > 1 ? buildInsightsFilterHref(pageState, NO_FILTERS) : undefined}
    >
      <FilterDateField name="from" label={t("from")} value={pageState.filter.from} />
      <FilterDateField name="to" label={t("to")} value={pageState.filter.to} />
      <FilterSelectField
        name="eventId"
        label={t("event")}
        any={t("event.any")}
        value={eventId}
        options={events.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelectField
        name="status"
        label={t("state")}
        any={t("state.any")}
        value={status}
        options={INCIDENT_STATES.map((value) => ({ value, label: tIncident(`state.${value}`) }))}
      />
      <FilterSelectField
        name="severity"
        label={t("severity")}
        any={t("severity.any")}
        value={severity}
        options={SEVERITIES_AND_NONE.map((value) => ({ value, label: tIncident(`severity.${value}`) }))}
      />
    </FilterBar>
  );
}

const NO_FILTERS = { from: null, to: null, eventId: null, status: null, severity: null };

/** The filters in effect, each with the link that removes it. */
function listAppliedFilters(pageState: InsightsPageState, events: FiltersProps["events"]) {
  const t = useTranslator("insights");
  const tIncident = useTranslator("incident");
  const { from, to, eventId, status, severity } = pageState.filter;
  const locale = useLocale();
  const joinTexts = useCommaJoiner();
  const event = events.find(({ id }) => id === eventId)?.name;
  const chip = (name: keyof typeof NO_FILTERS, label: string, value: string | undefined) =>
    value
      ? [
          {
            label: t("applied", { name: label, value }),
            href: buildInsightsFilterHref(pageState, { [name]: null }),
          },
        ]
      : [];
  return [
    ...chip("from", t("from"), from && formatCalendarDate(from, locale)),
    ...chip("to", t("to"), to && formatCalendarDate(to, locale)),
    ...chip("eventId", t("event"), event),
    ...chip(
      "status",
      t("state"),
      status && joinTexts(status.split(",").map((one) => tIncident(`state.${one as IncidentState}`))),
    ),
    ...chip(
      "severity",
      t("severity"),
      severity && joinTexts(severity.split(",").map((one) => tIncident(`severity.${one as Severity}`))),
    ),
  ];
}

/** The period that is counted, and the one it is compared with. */
function CountedPeriod({ shown: pageState, now }: { shown: InsightsPageState; now: Date }) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const selection = { filter: toPeriodFilter(pageState.filter), now };
  const [since, before] = [computePeriodStart(selection), computePreviousPeriodStart(selection)];
  const lastDay = computeLastDayOfPeriod(selection);
  const day = (at: Date) => formatDate(at, createUtcTimeFormatOptions(locale));
  const { compare } = pageState.view;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-muted">
      <p>
        {since ? t("made", { from: day(since), to: day(lastDay) }) : t("madeUntil", { to: day(lastDay) })}
        {compare && since && before && (
          <>
            <br />
            {t("madeBefore", { from: day(before), to: day(new Date(since.getTime() - 1)) })}
          </>
        )}
      </p>
      {since && (
        <LinkButton
          variant="quiet"
          icon="git-compare-arrows"
          href={buildInsightsDisplayHref(pageState, { compare: !compare })}
        >
          {t(compare ? "compare.stop" : "compare")}
        </LinkButton>
      )}
    </div>
  );
}

function InsightsEmptyState({ shown: { path, filter } }: { shown: InsightsPageState }) {
  const t = useTranslator("insights");
  const hasFilters = Object.keys(filter).some((name) => !["timeRange", "from", "to"].includes(name));
  const all = filter.timeRange === "all";
  return (
    <EmptyState
      icon="chart-column"
      title={t(hasFilters ? "empty.filtered" : all ? "empty.ever" : "empty.period")}
      actions={
        (hasFilters || !all) && (
          <LinkButton href={buildHrefWithQueryChanges(path, {}, { timeRange: "all" })}>
            {t("empty.all")}
          </LinkButton>
        )
      }
    >
      {!hasFilters && <p>{t("empty.about")}</p>}
    </EmptyState>
  );
}
