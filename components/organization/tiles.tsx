import type { IconName } from "#lib/design/icon-names.ts";
import type { ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import {
  countUnopenedReports,
  formatHoursAsDuration,
  MIN_REPORTS_FOR_MEDIAN,
} from "#lib/analytics/findings.ts";

type TileMetrics = { unassignedReports: number; escalatedReports: number; avgResolutionTime: number | null };

type InsightFigures = {
  reports: number;
  open: number;
  waiting: number;
  oldestWaiting: string | null;
  answered: number;
  medianFirstResponse: number | null;
  answeredInTime: number;
  answerDue: number;
  replied: number;
  medianFirstReply: number | null;
  resolved: number;
  medianResolution: number | null;
};

type Props = {
  metrics: TileMetrics;
  insights: {
    current: InsightFigures;
    previous: InsightFigures | null;
    byChannel: { anonymous: number; named: number };
  };
  now: Date;
};

/** The six figures above the charts, each with its definition, its exceptions, and its previous value. */
export function InsightTiles({ metrics, insights, now }: Props) {
  const t = useTranslator("insights");
  return (
    <ul
      aria-label={t("numbers")}
      className="grid grid-cols-1 gap-3 min-[22rem]:grid-cols-2 sm:gap-4 lg:grid-cols-3"
    >
      <CountTiles metrics={metrics} insights={insights} now={now} />
      <TimeTiles metrics={metrics} insights={insights} />
    </ul>
  );
}

/**
 * The tiles with counts. "Open" and "waiting" show no change: reports of the previous period had more time to be
 * handled, so a comparison would mean nothing.
 */
function CountTiles({ metrics, insights: { current, previous }, now }: Props) {
  const t = useTranslator("insights");
  const tile = (name: "reports" | "open" | "waiting", line: ReactNode, change: ReactNode = null) => (
    <InsightTile
      name={t(name)}
      value={t("count", { value: current[name] })}
      lines={[line]}
      change={change}
      about={t(`${name}.about`)}
    />
  );
  const { open, oldestWaiting } = current;
  return (
    <>
      {tile(
        "reports",
        t("reports.escalated", { count: metrics.escalatedReports }),
        previous && <CountChange now={current.reports} before={previous.reports} />,
      )}
      {tile("open", open > 0 && t("open.unassigned", { count: metrics.unassignedReports }))}
      {tile(
        "waiting",
        oldestWaiting &&
          t.rich("waiting.oldest", { time: () => <Time key="time" value={oldestWaiting} now={now} /> }),
      )}
    </>
  );
}

/** Each duration's median, and the number of reports it is based on. */
const MEDIAN_FIGURES = {
  answer: { hours: "medianFirstResponse", count: "answered" },
  reply: { hours: "medianFirstReply", count: "replied" },
  resolution: { hours: "medianResolution", count: "resolved" },
} as const;

function TimeTiles({ metrics, insights }: Omit<Props, "now">) {
  const t = useTranslator("insights");
  const locale = useLocale();
  const { current, previous } = insights;
  const tile = (name: keyof typeof MEDIAN_FIGURES, line: ReactNode, exception = "") => {
    const { hours, count } = MEDIAN_FIGURES[name];
    const before = previous && (previous[count] >= MIN_REPORTS_FOR_MEDIAN ? previous[hours] : null);
    return (
      <InsightTile
        name={t(name)}
        value={<MedianDuration hours={current[hours]} count={current[count]} />}
        lines={[line, t("n", { count: current[count] })]}
        change={previous && <MedianChange now={current[hours]} before={before} />}
        about={`${t(`${name}.about`)} ${exception}`.trimEnd()}
      />
    );
  };
  const { answerDue, answeredInTime, resolved } = current;
  const mean = metrics.avgResolutionTime;
  return (
    <>
      {tile(
        "answer",
        answerDue >= MIN_REPORTS_FOR_MEDIAN &&
          t("answer.share", {
            value: computePercent(answeredInTime, answerDue),
            due: answerDue,
          }),
      )}
      {tile("reply", null, countUnopenedReports(insights) > 0 ? t("reply.unopened") : "")}
      {tile(
        "resolution",
        mean !== null &&
          resolved >= MIN_REPORTS_FOR_MEDIAN &&
          t("resolution.mean", { duration: formatHoursAsDuration(mean, locale) }),
      )}
    </>
  );
}

const computePercent = (part: number, whole: number): number => Math.round((100 * part) / whole);

type TileProps = {
  name: string;
  value: ReactNode;
  /** Additional lines; false and null are omitted. */
  lines: readonly ReactNode[];
  change: ReactNode;
  /** The definition of the figure. */
  about: string;
};

function InsightTile({ name, value, lines, change, about }: TileProps) {
  const t = useTranslator("insights");
  const shownLines = lines.filter((line) => line !== false && line !== null);
  return (
    <li className="grid content-start gap-1 rounded-surface border border-line bg-surface p-3 sm:px-6 sm:py-4">
      <p className="text-sm text-muted">{name}</p>
      <p className="text-2xl font-[650] tabular-nums">{value}</p>
      {shownLines.length > 0 && (
        <ul className="text-sm text-muted">
          {shownLines.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ul>
      )}
      {change}
      <Disclosure
        summary={
          <span className="text-sm">
            {t("definition")}
            <span className="sr-only"> {t("definition.of", { name })}</span>
          </span>
        }
        className="-mb-2"
      >
        <p className="text-sm text-muted">{about}</p>
      </Disclosure>
    </li>
  );
}

function MedianDuration({ hours, count }: { hours: number | null; count: number }) {
  const t = useTranslator("insights");
  const locale = useLocale();
  if (hours !== null && count >= MIN_REPORTS_FOR_MEDIAN) return formatHoursAsDuration(hours, locale);
  return <span className="text-lg font-normal text-muted">{t(hours === null ? "noneYet" : "tooFew")}</span>;
}

function CountChange({ now, before }: { now: number; before: number }) {
  const t = useTranslator("insights");
  return <Comparison now={now} before={before} text={t("count", { value: before })} />;
}

function MedianChange({ now, before }: { now: number | null; before: number | null }) {
  const t = useTranslator("insights");
  const locale = useLocale();
  if (before === null) return <p className="text-sm text-muted">{t("change.unknown")}</p>;
  return <Comparison now={now} before={before} text={formatHoursAsDuration(before, locale)} />;
}

/** Shows the previous value without judging the change: more reports may mean more trust. */
function Comparison({ now, before, text }: { now: number | null; before: number; text: string }) {
  const t = useTranslator("insights");
  const direction = now === null ? "was" : now > before ? "up" : now < before ? "down" : "same";
  const directionIcon = DIRECTION_ICONS[direction];
  return (
    <p className="flex items-center gap-1.5 text-sm">
      {directionIcon && <Icon as={directionIcon} size={16} className="text-muted" />}
      {t(`change.${direction}`, { before: text })}
    </p>
  );
}

const DIRECTION_ICONS: Record<"up" | "down" | "same" | "was", IconName | null> = {
  up: "arrow-up",
  down: "arrow-down",
  same: "equal",
  was: null,
};
