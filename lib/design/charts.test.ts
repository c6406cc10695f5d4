import { describe, expect, test } from "vitest";
import {
  renderCategoryBarChartSvg,
  renderTimeSeriesBarChartSvg,
  type ChartSeriesNameAndColor,
} from "./charts.ts";
import { sanitizeChartSvg } from "./svg.ts";

const HOSTILE = `<script>alert(1)</script>"' onload="alert(2)" style="x`;

const months = [
  { label: "Jan 2026", counts: [4, 0], line: 1 },
  { label: "Feb 2026", counts: [7, 2], line: 5 },
];
const parts: ChartSeriesNameAndColor[] = [{ name: "Low", color: "severity-low" }, { name: "High" }];

describe.each([
  ["monthly bars", renderTimeSeriesBarChartSvg(months, parts, { width: 640, id: "a" })],
  [
    "category bars",
    renderCategoryBarChartSvg(
      [
        { label: "Submitted", value: 3 },
        { label: "Closed", value: 9 },
      ],
      { width: 320, id: "a" },
    ),
  ],
  ["a hostile name", renderCategoryBarChartSvg([{ label: HOSTILE, value: 3 }], { width: 900, id: "a" })],
])("%s", (_, svg) => {
  test("carries no style, class, script or foreign attribute", () => {
    const tags = [...svg.matchAll(/<[^>]*>/g)].map(([tag]) => tag).join("\n");
    expect(tags).not.toMatch(
      /\s(style|class|on\w+|href|xlink:\w+|ecmeta\w*)=|<(style|script|image|a|foreignObject)\b/i,
    );
    expect(svg).not.toContain("CDATA");
  });

  test("follows the theme: every color is a variable, a pattern or none", () => {
    const colors = [...svg.matchAll(/(?:fill|stroke)="([^"]*)"/g)].map(([, color]) => color!);
    const fixed = colors.filter((color) => !/^(var\(--color-[a-z-]+\)|url\(#a-[\w-]+\)|none)$/.test(color));
    expect(fixed.filter((color) => color !== "#000")).toEqual([]);
  });

  test("every used pattern and clip is defined, under an id of this drawing", () => {
    const used = [...svg.matchAll(/url\(#([\w-]+)\)/g)].map(([, id]) => id!);
    const defined = [...svg.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id!);
    expect(used.filter((id) => !defined.includes(id) || !id.startsWith("a-"))).toEqual([]);
  });
});

const countPatterns = (svg: string) => new Set(svg.match(/<pattern[\s\S]*?<\/pattern>/g)).size;

test("the parts of a bar differ by pattern as well as by color, and a single part has none", () => {
  const drawn = (series: ChartSeriesNameAndColor[]) =>
    renderTimeSeriesBarChartSvg(months, series, { width: 640, id: "a" });
  expect([countPatterns(drawn(parts)), countPatterns(drawn(parts.slice(0, 1)))]).toEqual([2, 0]);
});

test("the bars of categories have one fill, since their labels tell them apart", () => {
  const rows = ["Low", "High", "Critical"].map((label, value) => ({ label, value: value + 1 }));
  const svg = renderCategoryBarChartSvg(rows, { width: 320, id: "a" });
  expect(countPatterns(svg)).toBe(0);
  expect(new Set(svg.match(/fill="var\(--color-(?:chart|state|severity)[^"]*"/g))).toEqual(
    new Set(['fill="var(--color-chart-bar)"']),
  );
});

test("a name of any length leaves room for the bars", () => {
  const svg = renderCategoryBarChartSvg([{ label: "x".repeat(120), value: 1 }], { width: 320, id: "a" });
  const lines = [...svg.matchAll(/>(x+…?)</g)].map(([, line]) => line!);
  expect(lines).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/…$/);
});

test("a name is text: markup in it arrives escaped", () => {
  const svg = renderCategoryBarChartSvg([{ label: "<script>x</script>", value: 1 }], { width: 900, id: "a" });
  expect(svg).toContain("&lt;script&gt;x&lt;/script&gt;");
  expect(svg).not.toContain("<script");
});

test("elements and attributes outside the allowlists are removed", () => {
  const hostile = `<svg viewBox="0 0 1 1" onload="alert(1)"><style>*{}</style><script>1</script><a xlink:href="x"><text style="font-size:12px;background:url(x)">t</text></a><image href="x"/></svg>`;
  expect(sanitizeChartSvg(hostile, "p")).toBe(
    `<svg viewBox="0 0 1 1">1<text font-size="12px">t</text></svg>`,
  );
});
