import type { z } from "zod";
import { useLocale, useWords } from "#words";
import { Card } from "#components/ui/card.tsx";
import { CategoryChart, type CategoryRow, MonthlyChart } from "#components/ui/chart.tsx";
import { TextLink } from "#components/ui/link.tsx";
import {
  answerFinding,
  backlogFinding,
  channelFinding,
  eventFinding,
  funnelFinding,
  hoursInWords,
  kindFinding,
  monthlyFinding,
  severityFinding,
  statusFinding,
} from "#lib/analytics/findings.ts";
import { type Analytics, type Insights, LEAST_NAMED } from "#lib/analytics/schema.ts";
import { monthName } from "#lib/design/time.ts";
import { kindOf } from "#lib/incidents/kinds.ts";
import { SEVERITIES, STATES } from "#lib/incidents/schema.ts";

type Stack = "severity" | "status";

type Props = {
  counted: z.output<typeof Analytics>;
  insights: z.output<typeof Insights>;
  /** What the bars of the months are made of, and where to see them the other way. */
  stack: Stack;
  stackHref: (stack: Stack) => string;
  /** A bar an event; null where the numbers are of one event only. */
  eventRows: readonly (CategoryRow & { href?: string })[] | null;
};

/** The charts of the numbers page, each under its finding. */
export function InsightCharts({ counted, insights, stack, stackHref, eventRows }: Props) {
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2 print:block print:[&>*]:mb-6 print:[&>*]:break-inside-avoid">
      <Months counted={counted} insights={insights} stack={stack} stackHref={stackHref} />
      <Backlog trends={counted.monthlyTrends} />
      <States counted={counted} />
      <Funnel counted={counted} />
      <Answers insights={insights} />
      <Kinds insights={insights} />
      <Severities counted={counted} />
      {eventRows && <Events counted={counted} rows={eventRows} />}
      <Channels insights={insights} />
    </div>
  );
}

function Months({ counted, insights, stack, stackHref }: Omit<Props, "eventRows">) {
  const t = useWords("insights");
  const locale = useLocale();
  const series = useParts(stack);
  const resolved = new Map(counted.monthlyTrends.map((one) => [one.month, one.resolved]));
  return (
    <Card>
      <MonthlyChart
        id="months"
        level={2}
        title={monthlyFinding(counted.monthlyTrends, locale)}
        note={<StackChoice stack={stack} stackHref={stackHref} />}
        series={series}
        line={t("resolvedInMonth")}
        points={insights.months.map((month) => ({
          label: monthName(month.month, locale),
          counts: series.map(({ of }) => of(month)),
          line: resolved.get(month.month) ?? 0,
        }))}
      />
    </Card>
  );
}

/** The parts of a month's bar, from the ground up, each with its number. */
function useParts(stack: Stack) {
  const words = useWords("incident");
  if (stack === "status")
    return STATES.map((one) => ({
      of: ({ byStatus }: Month) => byStatus[one],
      name: words(`state.${one}`),
      color: `state-${one}` as const,
    }));
  return (["none", ...SEVERITIES] as const).map((one) => ({
    of: ({ bySeverity }: Month) => bySeverity[one],
    name: words(`severity.${one}`),
    color: `severity-${one}` as const,
  }));
}

type Month = Props["insights"]["months"][number];

function StackChoice({ stack, stackHref }: Pick<Props, "stack" | "stackHref">) {
  const t = useWords("insights");
  const words = { severity: t("months.bySeverity"), status: t("months.byState") };
  return (
    <div className="flex flex-wrap items-center gap-x-4">
      <p>{t("months.note")}</p>
      <ul aria-label={t("months.split")} className="flex gap-x-4">
        {(["severity", "status"] as const).map((one) => (
          <li key={one} className="inline-flex min-h-11 items-center">
            {one === stack ? (
              <span aria-current="true" className="font-[650] text-ink">
                {words[one]}
              </span>
            ) : (
              <TextLink href={stackHref(one)} className="inline-flex min-h-11 items-center">
                {words[one]}
              </TextLink>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Backlog({ trends }: { trends: Props["counted"]["monthlyTrends"] }) {
  const t = useWords("insights");
  const locale = useLocale();
  const open = openByMonth(trends);
  const points = trends.map(({ month }, at) => ({
    label: monthName(month, locale),
    counts: [open[at] ?? 0],
  }));
  return (
    <Card>
      <MonthlyChart
        id="backlog"
        level={2}
        title={backlogFinding(open, locale)}
        note={t("backlog.note")}
        series={[{ name: t("backlog.open"), color: "state-investigating" }]}
        points={points}
      />
    </Card>
  );
}

/** Made so far, less those that are resolved so far. */
function openByMonth(trends: Props["counted"]["monthlyTrends"]): number[] {
  return trends.map((_, at) =>
    trends.slice(0, at + 1).reduce((sum, { count, resolved }) => sum + count - resolved, 0),
  );
}

function States({ counted }: Pick<Props, "counted">) {
  const t = useWords("insights");
  const words = useWords("incident");
  return (
    <Card>
      <CategoryChart
        id="states"
        level={2}
        title={statusFinding(counted.byStatus, useLocale())}
        note={t("states.note")}
        names={{ label: t("state"), value: t("reports") }}
        rows={counted.byStatus.map(({ status, count }) => ({
          label: words(`state.${status}`),
          value: count,
          color: `state-${status}` as const,
        }))}
      />
    </Card>
  );
}

/** States follow one another, so whoever is in one has reached those before it. */
function Funnel({ counted: { byStatus, metrics } }: Pick<Props, "counted">) {
  const t = useWords("insights");
  const words = useWords("incident");
  const rows = byStatus.map(({ status }, at) => ({
    label: words(`state.${status}`),
    value: byStatus.slice(at).reduce((sum, { count }) => sum + count, 0),
  }));
  return (
    <Card>
      <CategoryChart
        id="funnel"
        level={2}
        title={funnelFinding(byStatus, useLocale())}
        note={t("funnel.note")}
        names={{ label: t("state"), value: t("funnel.reached") }}
        rows={rows}
        whole={metrics.totalReports}
      />
    </Card>
  );
}

function Answers({ insights: { answerTimes, current, deadlineHours } }: Pick<Props, "insights">) {
  const t = useWords("insights");
  const locale = useLocale();
  const last = answerTimes.findLast(({ upTo }) => upTo !== null)?.upTo ?? 0;
  const rows = answerTimes.map(({ upTo, count }) => ({
    label:
      upTo === null
        ? t("answers.longer", { duration: hoursInWords(last, locale) })
        : t("answers.upTo", { duration: hoursInWords(upTo, locale) }),
    value: count,
    color:
      deadlineHours === null || (upTo !== null && upTo <= deadlineHours)
        ? ("chart-bar" as const)
        : ("chart-line" as const),
  }));
  return (
    <Card>
      <CategoryChart
        id="answers"
        level={2}
        title={answerFinding(current, { deadline: deadlineHours, locale })}
        note={t("answers.note", { hours: deadlineHours ?? 0 })}
        names={{ label: t("answers.time"), value: t("reports") }}
        rows={[...rows, { label: t("answers.waiting"), value: current.waiting, color: "severity-none" }]}
      />
    </Card>
  );
}

function Severities({ counted }: Pick<Props, "counted">) {
  const t = useWords("insights");
  const words = useWords("incident");
  return (
    <Card>
      <CategoryChart
        id="severities"
        level={2}
        title={severityFinding(counted.bySeverity, useLocale())}
        note={t("severities.note")}
        names={{ label: t("severity"), value: t("reports") }}
        rows={counted.bySeverity.map(({ severity, count }) => ({
          label: words(`severity.${severity}`),
          value: count,
          color: `severity-${severity}` as const,
        }))}
      />
    </Card>
  );
}

type EventsProps = Pick<Props, "counted"> & { rows: NonNullable<Props["eventRows"]> };

function Events({ counted, rows }: EventsProps) {
  const t = useWords("insights");
  return (
    <Card>
      <CategoryChart
        id="events"
        level={2}
        title={eventFinding(counted.byEvent, useLocale())}
        note={t("events.note")}
        names={{ label: t("event"), value: t("reports") }}
        rows={rows}
      />
    </Card>
  );
}

function Kinds({ insights: { byType, otherTypes, current } }: Pick<Props, "insights">) {
  const t = useWords("insights");
  const words = useWords("incident");
  const locale = useLocale();
  const nameOf = (type: string) => {
    const kind = kindOf(type);
    return kind ? words(`kind.${kind}`) : type;
  };
  const given = byType.flatMap(({ type, count }) => (type === null ? [] : [{ name: nameOf(type), count }]));
  const none = byType.find(({ type }) => type === null)?.count ?? 0;
  const rows = given.map(({ name, count }) => ({ label: name, value: count }));
  return (
    <Card>
      <CategoryChart
        id="kinds"
        level={2}
        title={kindFinding(given, { total: current.reports, others: otherTypes, locale })}
        note={t("kinds.note", { least: LEAST_NAMED })}
        names={{ label: t("kinds.kind"), value: t("reports") }}
        rows={[
          ...rows,
          ...(otherTypes > 0 ? [{ label: t("kinds.other"), value: otherTypes }] : []),
          { label: words("kind.none"), value: none, color: "severity-none" as const },
        ]}
      />
    </Card>
  );
}

function Channels({ insights: { byChannel } }: Pick<Props, "insights">) {
  const t = useWords("insights");
  return (
    <Card>
      <CategoryChart
        id="channels"
        level={2}
        title={channelFinding(byChannel, useLocale())}
        note={t("channel.note")}
        names={{ label: t("channel"), value: t("reports") }}
        rows={[
          { label: t("channel.named"), value: byChannel.named },
          { label: t("channel.anonymous"), value: byChannel.anonymous },
        ]}
      />
    </Card>
  );
}
