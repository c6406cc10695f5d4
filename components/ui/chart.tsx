import clsx from "clsx";
import type { ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";
import {
  type CategoryBarData,
  renderCategoryBarChartSvg,
  type TimeSeriesPoint,
  renderTimeSeriesBarChartSvg,
  type ChartSeriesNameAndColor,
} from "#lib/design/charts.ts";
import { formatCssColorVariable } from "#lib/design/css.ts";
import { Disclosure } from "./disclosure.tsx";
import { TextLink } from "./link.tsx";
import { type TableColumn, Table } from "./table.tsx";

type CommonChartProps = {
  /** Unique on the page. */
  id: string;
  /** States the finding: "Most reports came in March, 14 of 52". */
  title: string;
  /** A line under the title: what is counted, and over which period. */
  note?: ReactNode;
};

type TimeSeriesProps = CommonChartProps & {
  points: readonly TimeSeriesPoint[];
  /** The parts of the bars, from the bottom up. */
  series: readonly ChartSeriesNameAndColor[];
  /** The name of the line, if the points have one. */
  line?: string;
  /** The period of a point. */
  unit?: "day" | "month" | "year";
};

/**
 * Stacked bars per day, month or year with an optional line above them, rendered on the server, followed by a table of the
 * numbers.
 */
export function TimeSeriesChart({ points, series, line, unit = "month", ...common }: TimeSeriesProps) {
  const columns = useTimeSeriesColumns(series, { line, unit });
  return (
    <ChartFigure
      {...common}
      legend={(series.length > 1 || line) && <TimeSeriesLegend series={series} line={line} />}
      draw={(width, id) => renderTimeSeriesBarChartSvg(points, series, { width, id })}
      table={
        <Table
          caption={common.title}
          columns={columns}
          rows={points}
          rowKey={(point) => point.label}
          cards={false}
        />
      }
    />
  );
}

/** Columns of the table: day, month or year, each part of the bar, their sum if there are several, and the line. */
function useTimeSeriesColumns(
  series: readonly ChartSeriesNameAndColor[],
  { line, unit }: Pick<TimeSeriesProps, "line"> & Required<Pick<TimeSeriesProps, "unit">>,
): TableColumn<TimeSeriesPoint>[] {
  const t = useTranslator("chart");
  const n = useNumberFormatter();
  const numbers = (name: string, of: (point: TimeSeriesPoint) => number): TableColumn<TimeSeriesPoint> => ({
    key: name,
    header: name,
    cell: (point) => n(of(point)),
    align: "end",
  });
  return [
    { key: unit, header: t(unit), cell: (point) => point.label, rowHeader: true },
    ...series.map(({ name }, at) => numbers(name, (point) => point.counts[at] ?? 0)),
    ...(series.length > 1 ? [numbers(t("total"), (point) => sumCounts(point.counts))] : []),
    ...(line ? [numbers(line, (point) => point.line ?? 0)] : []),
  ];
}

type CategoryProps = CommonChartProps & {
  rows: readonly (CategoryBarData & {
    /** Link to the row's incidents, for those who may read them. */
    href?: string;
  })[];
  /** Table headings: what a row is, and what is counted. */
  names: { label: string; value: string };
  /** The total that shares refer to, if it isn't the sum of the rows. */
  whole?: number;
};

/** One bar per row with its number, rendered on the server, followed by a table of the numbers and shares. */
export function CategoryChart({ rows, names, whole, ...common }: CategoryProps) {
  const t = useTranslator("chart");
  const n = useNumberFormatter();
  const total = whole ?? sumCounts(rows.map(({ value }) => value));
  const columns: TableColumn<CategoryProps["rows"][number]>[] = [
    {
      key: "label",
      header: names.label,
      cell: ({ label, href }) => (
        <span className="wrap-anywhere">{href ? <TextLink href={href}>{label}</TextLink> : label}</span>
      ),
      rowHeader: true,
    },
    { key: "value", header: names.value, cell: (row) => n(row.value), align: "end" },
    {
      key: "share",
      header: t("share"),
      cell: (row) => (total ? t("percent", { value: Math.round((row.value / total) * 100) }) : "–"),
      align: "end",
    },
  ];
  return (
    <ChartFigure
      {...common}
      draw={(width, id) => renderCategoryBarChartSvg(rows, { width, id })}
      table={
        <Table
          caption={common.title}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.label}
          cards={false}
        />
      }
    />
  );
}

const sumCounts = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Formats numbers in the reader's language. */
function useNumberFormatter(): (value: number) => string {
  const format = new Intl.NumberFormat(useLocale());
  return (value) => format.format(value);
}

type FigureProps = CommonChartProps & {
  legend?: ReactNode;
  draw: (width: number, id: string) => string;
  table: ReactNode;
};

/** A chart, drawn twice, for a phone and for a wide column, so that text keeps its size; CSS shows one of them. */
function ChartFigure({ id, title, note, legend, draw, table }: FigureProps) {
  const t = useTranslator("chart");
  return (
    <figure aria-labelledby={`${id}-title`} className="@container">
      <div className="grid grid-cols-1 content-start gap-3 @3xl:grid-cols-[minmax(0,42rem)_minmax(0,1fr)]">
        <figcaption className="grid grid-cols-1 gap-1 @3xl:col-span-2">
          <h2 id={`${id}-title`} className="text-lg wrap-anywhere">
            {title}
          </h2>
          {note && <div className="text-sm text-muted">{note}</div>}
          {legend}
        </figcaption>
        <div role="img" aria-label={t("chartDescription", { title })} className="max-w-2xl">
          <ChartDrawing svg={draw(320, `${id}-narrow`)} className="@md:hidden" />
          <ChartDrawing svg={draw(520, `${id}-wide`)} className="hidden @md:block" />
        </div>
        <Disclosure summary={t("theNumbers")}>{table}</Disclosure>
      </div>
    </figure>
  );
}

/**
 * `svg` comes from lib/design/charts.ts, which allows only a few elements and attributes. Charts run left to
 * right in every language; their texts determine their own direction.
 */
function ChartDrawing({ svg, className }: { svg: string; className: string }) {
  return (
    <div
      dir="ltr"
      className={clsx("chart [&>svg]:h-auto [&>svg]:w-full", className)}
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}

function TimeSeriesLegend({ series, line }: Pick<TimeSeriesProps, "series" | "line">) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
      {series.map((one, at) => (
        <li key={one.name} className="inline-flex items-center gap-2">
          <Swatch at={at} color={formatCssColorVariable(one.color ?? "chart-bar")} />
          {one.name}
        </li>
      ))}
      {line && (
        <li className="inline-flex items-center gap-2">
          <svg aria-hidden="true" width="24" height="14" viewBox="0 0 24 14">
            <path d="M0 7h24" strokeWidth="2.5" className="stroke-chart-line" />
            <circle cx="12" cy="7" r="4" strokeWidth="2.5" className="fill-surface stroke-chart-line" />
          </svg>
          {line}
        </li>
      )}
    </ul>
  );
}

/** A legend swatch: the series' color, and its pattern as in charts.ts. */
function Swatch({ at, color }: { at: number; color: string }) {
  return (
    <svg aria-hidden="true" width="16" height="16" viewBox="0 0 16 16" className="shrink-0">
      <rect width="16" height="16" rx="2" fill={color} />
      <path
        d={SWATCH_PATTERNS[at % SWATCH_PATTERNS.length]}
        strokeWidth="2"
        className="fill-none stroke-surface"
      />
    </svg>
  );
}

const SWATCH_PATTERNS = [
  "",
  "M0 8L8 0M0 16L16 0M8 16L16 8",
  "M3 4h2M11 4h2M7 8h2M3 12h2M11 12h2",
  "M8 0L16 8M0 0L16 16M0 8L8 16",
  "M0 3h16M0 8h16M0 13h16",
];
