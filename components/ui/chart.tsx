import clsx from "clsx";
import { type CategoryRow, categorySvg, type MonthPoint, monthlySvg } from "#lib/design/charts.ts";
import type { ReactNode } from "react";
import { Disclosure } from "./disclosure.tsx";
import { type Column, Table } from "./table.tsx";

export type { CategoryRow, MonthPoint };

type Common = {
  /** Unique on the page. */
  id: string;
  /** States the finding: "Most reports came in March, 14 of 52". */
  title: string;
  level?: 2 | 3;
  /** A line under the title: what is counted, and over what time. */
  note?: string;
};

type MonthlyProps = Common & {
  points: readonly MonthPoint[];
  /** What the bars and the line count. */
  names: { count: string; resolved: string };
};

/** Bars by month with a line over them, drawn on the server; the numbers follow in a table. */
export function MonthlyChart({ points, names, ...common }: MonthlyProps) {
  const columns: Column<MonthPoint>[] = [
    { key: "label", header: "Month", cell: (point) => point.label, rowHeader: true },
    { key: "count", header: names.count, cell: (point) => point.count, align: "end" },
    { key: "resolved", header: names.resolved, cell: (point) => point.resolved, align: "end" },
  ];
  return (
    <Figure
      {...common}
      legend={<MonthlyLegend names={names} />}
      draw={(width, id) => monthlySvg(points, { width, id })}
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

type CategoryProps = Common & {
  rows: readonly CategoryRow[];
  /** Heads of the table: what a row is, and what is counted. */
  names: { label: string; value: string };
};

/** One bar a row with its number, drawn on the server; the numbers follow in a table with their shares. */
export function CategoryChart({ rows, names, ...common }: CategoryProps) {
  const total = rows.reduce((sum, row) => sum + row.value, 0);
  const columns: Column<CategoryRow>[] = [
    { key: "label", header: names.label, cell: (row) => row.label, rowHeader: true },
    { key: "value", header: names.value, cell: (row) => row.value, align: "end" },
    {
      key: "share",
      header: "Share",
      cell: (row) => (total ? `${Math.round((row.value / total) * 100)} %` : "none"),
      align: "end",
    },
  ];
  return (
    <Figure
      {...common}
      draw={(width, id) => categorySvg(rows, { width, id })}
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

type FigureProps = Common & {
  legend?: ReactNode;
  draw: (width: number, id: string) => string;
  table: ReactNode;
};

/** Drawn twice, for a phone and for a column, so that the words in it keep their size; one is shown. */
function Figure({ id, title, level = 3, note, legend, draw, table }: FigureProps) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <figure aria-labelledby={`${id}-title`} className="@container grid content-start gap-3">
      <figcaption className="grid gap-1">
        <Heading id={`${id}-title`} className="text-lg">
          {title}
        </Heading>
        {note && <p className="text-sm text-muted">{note}</p>}
        {legend}
      </figcaption>
      <div role="img" aria-label={`${title}. The numbers are in the table below.`} className="max-w-2xl">
        <Drawing svg={draw(320, `${id}-narrow`)} className="@md:hidden" />
        <Drawing svg={draw(520, `${id}-wide`)} className="hidden @md:block" />
      </div>
      <Disclosure summary="The numbers">{table}</Disclosure>
    </figure>
  );
}

/** `svg` comes from lib/design/charts.ts, which lets through a short list of elements and attributes. */
function Drawing({ svg, className }: { svg: string; className: string }) {
  return (
    <div
      className={clsx("chart [&>svg]:h-auto [&>svg]:w-full", className)}
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}

function MonthlyLegend({ names }: { names: MonthlyProps["names"] }) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
      <li className="inline-flex items-center gap-2">
        <svg aria-hidden="true" width="14" height="14" viewBox="0 0 14 14">
          <rect width="14" height="14" rx="2" className="fill-chart-bar" />
        </svg>
        {names.count}
      </li>
      <li className="inline-flex items-center gap-2">
        <svg aria-hidden="true" width="24" height="14" viewBox="0 0 24 14">
          <path d="M0 7h24" strokeWidth="2.5" className="stroke-chart-line" />
          <circle cx="12" cy="7" r="4" strokeWidth="2.5" className="fill-surface stroke-chart-line" />
        </svg>
        {names.resolved}
      </li>
    </ul>
  );
}
