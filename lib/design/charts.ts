import { BarChart, LineChart } from "echarts/charts";
import { AriaComponent, GridComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { formatCssColorVariable } from "./css.ts";
import { sanitizeChartSvg } from "./svg.ts";
import type { ColorName } from "./tokens.ts";

echarts.use([BarChart, LineChart, GridComponent, AriaComponent, SVGRenderer]);

/** One month or day: the height of each segment of its bar, in the order of the series, and the height of the line. */
export type TimeSeriesPoint = { label: string; counts: readonly number[]; line?: number };
/** A segment of the bars: the name of what it counts, and its color. */
export type ChartSeriesNameAndColor = { name: string; color?: ColorName };
export type CategoryBarData = { label: string; value: number };

/** Width in px, and a prefix that makes this drawing's ids unique on the page. */
type ChartWidthAndIdPrefix = { width: number; id: string };

/**
 * Renders stacked bars per year, month or day, and a line if the points have one, as an SVG without styles or scripts.
 * Where there are several series, each has its own pattern as well as its color.
 */
export function renderTimeSeriesBarChartSvg(
  points: readonly TimeSeriesPoint[],
  series: readonly ChartSeriesNameAndColor[],
  { width, id }: ChartWidthAndIdPrefix,
): string {
  return renderChart(
    {
      grid: {
        left: 4,
        right: 12,
        top: 12,
        bottom: 4,
        outerBoundsMode: "same",
        outerBoundsContain: "axisLabel",
      },
      xAxis: {
        type: "category",
        data: points.map((point) => point.label),
        ...axisStyle,
        splitLine: { show: false },
      },
      yAxis: { type: "value", minInterval: 1, ...axisStyle, axisLine: { show: false } },
      aria: { enabled: true, decal: { show: series.length > 1, decals } },
      series: [
        ...series.map((one, at) => buildStackedBarSeries(points, one, at)),
        ...buildLineSeries(points),
      ],
    },
    { width, height: width < 480 ? 220 : 280, id },
  );
}

const buildStackedBarSeries = (
  points: readonly TimeSeriesPoint[],
  { color }: ChartSeriesNameAndColor,
  at: number,
) => ({
  type: "bar",
  stack: "counts",
  data: points.map((point) => point.counts[at] ?? 0),
  barMaxWidth: 36,
  itemStyle: { color: formatCssColorVariable(color ?? "chart-bar"), borderRadius: 2 },
});

/** The marks of more points would run into one another on a phone. */
const MAX_MARKED_POINTS = 24;

function buildLineSeries(points: readonly TimeSeriesPoint[]) {
  if (points.every(({ line }) => line === undefined)) return [];
  return [
    {
      type: "line",
      data: points.map(({ line }) => line ?? null),
      symbol: "circle",
      symbolSize: points.length > MAX_MARKED_POINTS ? 0 : 7,
      lineStyle: { color: formatCssColorVariable("chart-line"), width: 2.5 },
      itemStyle: {
        color: formatCssColorVariable("surface"),
        borderColor: formatCssColorVariable("chart-line"),
        borderWidth: 2.5,
      },
    },
  ];
}

/** Renders one horizontal bar per row, with its number at the end, as an SVG without styles or scripts. */
export function renderCategoryBarChartSvg(
  rows: readonly CategoryBarData[],
  { width, id }: ChartWidthAndIdPrefix,
): string {
  const labelWidth = width < 480 ? 132 : 176;
  const inkLabelStyle = { ...labelStyle, color: formatCssColorVariable("ink") };
  return renderChart(
    {
      grid: { left: labelWidth + 12, right: 44, top: 0, bottom: 0 },
      xAxis: { type: "value", show: false, min: 0 },
      yAxis: {
        type: "category",
        inverse: true,
        data: rows.map((row) => truncateLabel(row.label, labelWidth)),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: formatCssColorVariable("edge") } },
        axisLabel: {
          ...inkLabelStyle,
          width: labelWidth,
          overflow: "break",
          lineHeight: 16,
          interval: 0,
        },
      },
      series: [
        {
          type: "bar",
          barWidth: 20,
          data: rows.map(({ value }) => value),
          itemStyle: { color: formatCssColorVariable("chart-bar"), borderRadius: 2 },
          label: { show: true, position: "right", ...inkLabelStyle, textBorderWidth: 0 },
        },
      ],
    },
    { width, height: Math.max(1, rows.length) * 40, id },
  );
}

const PX_PER_CHARACTER = 7;

/** Cuts labels longer than two lines; the table under the chart shows them in full. */
function truncateLabel(label: string, width: number): string {
  const maxCharacters = Math.floor((2 * width) / PX_PER_CHARACTER) - 2;
  const characters = [...label];
  return characters.length > maxCharacters
    ? `${characters.slice(0, maxCharacters).join("").trimEnd()}…`
    : label;
}

const labelStyle = { fontSize: 13, color: formatCssColorVariable("muted") };

const axisStyle = {
  axisTick: { show: false },
  axisLine: { lineStyle: { color: formatCssColorVariable("edge") } },
  splitLine: { lineStyle: { color: formatCssColorVariable("line") } },
  axisLabel: labelStyle,
};

/** Patterns in addition to colors: the series of a bar stay distinguishable when printed in gray. */
const decals = [
  { symbol: "rect", symbolSize: 0 },
  { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: Math.PI / 4 },
  { symbol: "circle", symbolSize: 0.7, dashArrayX: [8, 8], dashArrayY: 6 },
  { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: -Math.PI / 4 },
  { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 7], rotation: 0 },
].map((decal) => ({ ...decal, color: formatCssColorVariable("surface") }));

function renderChart(
  option: echarts.EChartsCoreOption,
  size: { width: number; height: number; id: string },
): string {
  const chart = echarts.init(null, null, {
    renderer: "svg",
    ssr: true,
    width: size.width,
    height: size.height,
  });
  try {
    chart.setOption({ animation: false, ...option });
    return sanitizeChartSvg(chart.renderToSVGString(), size.id);
  } finally {
    chart.dispose();
  }
}
