import type { z } from "zod";
import { useLocale, useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { CategoryChart, TimeSeriesChart } from "#components/ui/chart.tsx";
import { TextLink } from "#components/ui/link.tsx";
import {
  countUnopenedReports,
  describeTimelyFirstResponses,
  describeBacklogChange,
  describeBusiestChartPoint,
  describeAnonymousShare,
  describeBusiestEvents,
  describeResolvedReportShare,
  formatHoursAsDuration,
  describeMostFrequentReportType,
  describeHighSeverityShare,
  describeWaitingReports,
} from "#lib/analytics/findings.ts";
import {
  type Analytics,
  type ReportInsights,
  MIN_REPORTS_PER_NAMED_FREE_TEXT_TYPE,
} from "#lib/analytics/schema.ts";
import type { CategoryBarData } from "#lib/design/charts.ts";
import { formatCalendarDateWithoutYear, formatMonthAndYear } from "#lib/design/time.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";

type BarStack = "severity" | "status";

type Props = {
  counted: z.output<typeof Analytics>;
  insights: z.output<typeof ReportInsights>;
  /** Whether the period has no start, and so nothing before it. */
  allTime: boolean;
  /** The property by which the bars are split, and the link to the other view. */
  stack: BarStack;
  stackHref: (stack: BarStack) => string;
  /** One bar per event; null when the figures cover a single event. */
  eventRows: readonly (CategoryBarData & { href?: string })[] | null;
};

/** The charts of the insights page, each titled with its finding. */
export function InsightCharts({ counted, insights, allTime, stack, stackHref, eventRows }: Props) {
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2 lg:[&>:last-child:nth-child(odd)]:col-span-2 print:block print:[&>*]:mb-6 print:[&>*]:break-inside-avoid">
      <ReportsOverTimeChart insights={insights} stack={stack} stackHref={stackHref} />
      <BacklogChart insights={insights} allTime={allTime} />
      <StatusChart counted={counted} />
      <ProgressChart counted={counted} insights={insights} />
      <FirstResponseChart insights={insights} />
      <TypeChart insights={insights} />
      <SeverityChart counted={counted} />
      {eventRows && <EventChart counted={counted} rows={eventRows} />}
      <ChannelChart insights={insights} />
    </div>
  );
}

function ReportsOverTimeChart({
  insights,
  stack,
  stackHref,
}: Pick<Props, "insights" | "stack" | "stackHref">) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const series = useStackSeries(stack);
  const labelOf = usePointFormatter(insights.unit);
  const { unit, points } = insights;
  const counts = points.map(({ at, byStatus }) => ({
    at,
    count: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
  }));
  return (
    <Card>
      <TimeSeriesChart
        id="months"
        title={describeBusiestChartPoint(counts, { unit, locale })}
        note={<BarStackChoice unit={unit} stack={stack} stackHref={stackHref} />}
        unit={unit}
        series={series}
        line={t("resolvedInMonth", { unit })}
        points={points.map((point) => ({
          label: labelOf(point),
          counts: series.map(({ of }) => of(point)),
          line: point.resolved,
        }))}
      />
    </Card>
  );
}

function usePointFormatter(unit: Props["insights"]["unit"]): (point: { at: string }) => string {
  const locale = useLocale();
  return ({ at }) => {
    if (unit === "year") return at;
    return unit === "day" ? formatCalendarDateWithoutYear(at, locale) : formatMonthAndYear(at, locale);
  };
}

/** The series of a bar, from the bottom up. */
function useStackSeries(stack: BarStack) {
  const t = useTranslator("incident");
  if (stack === "status")
    return INCIDENT_STATES.map((one) => ({
      of: ({ byStatus }: Point) => byStatus[one],
      name: t(`state.${one}`),
      color: `state-${one}` as const,
    }));
  return (["none", ...SEVERITIES] as const).map((one) => ({
    of: ({ bySeverity }: Point) => bySeverity[one],
    name: t(`severity.${one}`),
    color: `severity-${one}` as const,
  }));
}

type Point = Props["insights"]["points"][number];

type StackProps = Pick<Props, "stack" | "stackHref"> & Pick<Props["insights"], "unit">;

function BarStackChoice({ unit, stack, stackHref }: StackProps) {
  const t = useTranslator("insights");
  const labels = { severity: t("months.bySeverity"), status: t("months.byState") };
  return (
    <div className="flex flex-wrap items-center gap-x-4">
      <p>{t("months.note", { unit })}</p>
      <ul aria-label={t("months.split")} className="flex gap-x-4">
        {(["severity", "status"] as const).map((one) => (
          <li key={one} className="inline-flex min-h-11 items-center">
            {one === stack ? (
              <span aria-current="true" className="font-[650] text-ink">
                {labels[one]}
              </span>
            ) : (
              <TextLink href={stackHref(one)} className="inline-flex min-h-11 items-center">
                {labels[one]}
              </TextLink>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function BacklogChart({ insights: { unit, points, openBefore }, allTime }: BacklogProps) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const labelOf = usePointFormatter(unit);
  const openNow = points.at(-1)?.open ?? openBefore;
  return (
    <Card>
      <TimeSeriesChart
        id="backlog"
        title={describeBacklogChange(openNow, allTime ? null : openBefore, locale)}
        note={t("backlog.note", { unit })}
        unit={unit}
        series={[{ name: t("backlog.open", { unit }), color: "state-investigating" }]}
        points={points.map((point) => ({ label: labelOf(point), counts: [point.open] }))}
      />
    </Card>
  );
}

type BacklogProps = Pick<Props, "insights" | "allTime">;

function StatusChart({ counted }: Pick<Props, "counted">) {
  const t = useTranslator("insights");
  const tIncident = useTranslator("incident");
  return (
    <Card>
      <CategoryChart
        id="states"
        title={describeWaitingReports(counted.byStatus, useLocale())}
        note={t("states.note")}
        names={{ label: t("state"), value: t("reports") }}
        rows={counted.byStatus.map(({ status, count }) => ({
          label: tIncident(`state.${status}`),
          value: count,
        }))}
      />
    </Card>
  );
}

/** How many of the reports got a first response, a first reply, and a resolution: each counted by itself. */
function ProgressChart({ counted: { byStatus }, insights }: Pick<Props, "counted" | "insights">) {
  const t = useTranslator("insights");
  const unopened = countUnopenedReports(insights);
  return (
    <Card>
      <CategoryChart
        id="funnel"
        title={describeResolvedReportShare(byStatus, useLocale())}
        note={unopened > 0 ? `${t("funnel.note")}. ${t("reply.unopened")}` : t("funnel.note")}
        names={{ label: t("state"), value: t("reports") }}
        rows={(["reports", "answered", "replied", "resolved"] as const).map((step) => ({
          label: t(`funnel.${step}`),
          value: insights.current[step],
        }))}
        whole={insights.current.reports}
      />
    </Card>
  );
}

function FirstResponseChart({ insights: { answerTimes, current, deadlineHours } }: Pick<Props, "insights">) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const last = answerTimes.findLast(({ upTo }) => upTo !== null)?.upTo ?? 0;
  const rows = answerTimes.map(({ upTo, count }) => ({
    label:
      upTo === null
        ? t("answers.longer", { duration: formatHoursAsDuration(last, locale) })
        : t("answers.upTo", { duration: formatHoursAsDuration(upTo, locale) }),
    value: count,
  }));
  return (
    <Card>
      <CategoryChart
        id="answers"
        title={describeTimelyFirstResponses(current, locale)}
        note={t("answers.note", { hours: deadlineHours ?? 0 })}
        names={{ label: t("answers.time"), value: t("reports") }}
        rows={[...rows, { label: t("answers.waiting"), value: current.waiting }]}
      />
    </Card>
  );
}

function SeverityChart({ counted }: Pick<Props, "counted">) {
  const t = useTranslator("insights");
  const tIncident = useTranslator("incident");
  return (
    <Card>
      <CategoryChart
        id="severities"
        title={describeHighSeverityShare(counted.bySeverity, useLocale())}
        note={t("severities.note")}
        names={{ label: t("severity"), value: t("reports") }}
        rows={counted.bySeverity.map(({ severity, count }) => ({
          label: tIncident(`severity.${severity}`),
          value: count,
        }))}
      />
    </Card>
  );
}

type EventsProps = Pick<Props, "counted"> & { rows: NonNullable<Props["eventRows"]> };

function EventChart({ counted, rows }: EventsProps) {
  const t = useTranslator("insights");
  return (
    <Card>
      <CategoryChart
        id="events"
        title={describeBusiestEvents(counted.byEvent, useLocale())}
        note={t("events.note")}
        names={{ label: t("event"), value: t("reports") }}
        rows={rows}
      />
    </Card>
  );
}

function TypeChart({ insights }: Pick<Props, "insights">) {
  const t = useTranslator("insights");
  const tIncident = useTranslator("incident");
  const locale = useLocale();
  const { byType, otherTypes, current } = insights;
  const nameOf = (type: string) => {
    const kind = parseIncidentKind(type);
    return kind ? tIncident(`kind.${kind}`) : type;
  };
  const typedRows = byType.flatMap(({ type, count }) =>
    type === null ? [] : [{ name: nameOf(type), count }],
  );
  const none = byType.find(({ type }) => type === null)?.count ?? 0;
  const unopened = countUnopenedReports(insights);
  const others = otherTypes - unopened;
  const rows = typedRows.map(({ name, count }) => ({ label: name, value: count }));
  const note = t("kinds.note", { least: MIN_REPORTS_PER_NAMED_FREE_TEXT_TYPE });
  return (
    <Card>
      <CategoryChart
        id="kinds"
        title={describeMostFrequentReportType(typedRows, {
          total: current.reports - unopened,
          others,
          unopened,
          locale,
        })}
        note={unopened > 0 ? `${note} ${t("unopened.note")}` : note}
        names={{ label: t("kinds.kind"), value: t("reports") }}
        rows={[
          ...rows,
          ...(others > 0 ? [{ label: t("kinds.other"), value: others }] : []),
          { label: tIncident("kind.none"), value: none },
          ...useUnopenedRows(unopened),
        ]}
      />
    </Card>
  );
}

/** The row of the reports whose details the reader may not know, if there are any. */
function useUnopenedRows(unopened: number): CategoryBarData[] {
  const t = useTranslator("insights");
  return unopened > 0 ? [{ label: t("unopened"), value: unopened }] : [];
}

function ChannelChart({ insights }: Pick<Props, "insights">) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const { byChannel } = insights;
  const unopened = countUnopenedReports(insights);
  return (
    <Card>
      <CategoryChart
        id="channels"
        title={describeAnonymousShare(byChannel, { unopened, locale })}
        note={unopened > 0 ? t("unopened.note") : t("channel.note")}
        names={{ label: t("channel"), value: t("reports") }}
        rows={[
          { label: t("channel.named"), value: byChannel.named },
          { label: t("channel.anonymous"), value: byChannel.anonymous },
          ...useUnopenedRows(unopened),
        ]}
      />
    </Card>
  );
}
