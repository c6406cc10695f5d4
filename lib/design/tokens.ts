/**
 * Every color, size and radius of the interface, as data. `app/tokens.css` is generated from this file (see css.ts),
 * and a test computes the contrast of every pair below in both themes. Nothing else in the interface defines a color.
 */

export type Theme = "light" | "dark";

/** Solid colors, `#rrggbb`, by name: first on warm paper for light mode, then on warm near-black for dark mode. */
export const COLORS = {
  /** The page background. */
  paper: { light: "#faf7f1", dark: "#171513" },
  /** Surfaces on the page: cards, fields, menus. */
  surface: { light: "#fffefb", dark: "#201d1a" },
  /** A subtly recessed background: table heads, quoted text, code. */
  sunken: { light: "#f2ede3", dark: "#2a2622" },
  ink: { light: "#1d2527", dark: "#f0ebe2" },
  muted: { light: "#586061", dark: "#b5aea3" },
  /** Decorative hairlines that only separate. */
  line: { light: "#e0d9cb", dark: "#3a352f" },
  /** The border of any field or control. */
  edge: { light: "#847e72", dark: "#8d8579" },

  accent: { light: "#0b5a5c", dark: "#79c9be" },
  "accent-hover": { light: "#07403f", dark: "#9bdad1" },
  "accent-ink": { light: "#ffffff", dark: "#08211f" },
  "accent-soft": { light: "#e1eeea", dark: "#1b3532" },

  danger: { light: "#a3211b", dark: "#ff9d92" },
  "danger-hover": { light: "#7d1712", dark: "#ffbdb5" },
  "danger-ink": { light: "#ffffff", dark: "#330705" },
  "danger-soft": { light: "#fbe9e5", dark: "#43201c" },

  positive: { light: "#2a6637", dark: "#94d09d" },
  "positive-soft": { light: "#e5f0e3", dark: "#1f3423" },
  caution: { light: "#87480f", dark: "#f3b37c" },
  "caution-soft": { light: "#fbecdc", dark: "#3f2a19" },

  /** For content only the team sees; always shown with a lock. */
  internal: { light: "#6f5200", dark: "#ecca6a" },
  "internal-soft": { light: "#fdf1cd", dark: "#3a3013" },
  /** For content the reporter sees; always shown with an eye. */
  public: { light: "#1c4e8c", dark: "#9cc4f5" },
  "public-soft": { light: "#e5eef9", dark: "#1c2f48" },

  "state-submitted": { light: "#85305e", dark: "#eca6cb" },
  "state-submitted-soft": { light: "#f8e8f0", dark: "#3f2233" },
  "state-acknowledged": { light: "#46499c", dark: "#b9bcf8" },
  "state-acknowledged-soft": { light: "#ebebf9", dark: "#2a2b4a" },
  "state-investigating": { light: "#135f7c", dark: "#8bcbe6" },
  "state-investigating-soft": { light: "#e0eff4", dark: "#16323f" },
  "state-resolved": { light: "#2a6637", dark: "#94d09d" },
  "state-resolved-soft": { light: "#e5f0e3", dark: "#1f3423" },
  "state-closed": { light: "#545b5d", dark: "#bbb6ad" },
  "state-closed-soft": { light: "#ecebe6", dark: "#33302c" },

  "severity-critical": { light: "#96171a", dark: "#ff9d92" },
  "severity-critical-soft": { light: "#fbe6e3", dark: "#4a1f1c" },
  "severity-high": { light: "#96400a", dark: "#f9ae76" },
  "severity-high-soft": { light: "#fceadb", dark: "#432a17" },
  "severity-medium": { light: "#6d5600", dark: "#e2cb72" },
  "severity-medium-soft": { light: "#f7f0d3", dark: "#373014" },
  "severity-low": { light: "#37644f", dark: "#9fcfb6" },
  "severity-low-soft": { light: "#e6f0ea", dark: "#20342a" },
  "severity-none": { light: "#5b6061", dark: "#b5aea3" },
  "severity-none-soft": { light: "#efece5", dark: "#2e2a26" },

  "chart-bar": { light: "#4f8a88", dark: "#5aa79d" },
  "chart-line": { light: "#85461b", dark: "#ecb48b" },
} as const satisfies Record<string, Record<Theme, string>>;

export type ColorName = keyof typeof COLORS;

const BACKGROUND_COLORS = ["paper", "surface"] as const;
const SEMANTIC_COLORS = [
  "accent",
  "danger",
  "positive",
  "caution",
  "internal",
  "public",
  "state-submitted",
  "state-acknowledged",
  "state-investigating",
  "state-resolved",
  "state-closed",
  "severity-critical",
  "severity-high",
  "severity-medium",
  "severity-low",
  "severity-none",
] as const;

type ColorPair = readonly [foreground: ColorName, background: ColorName];

/** Text on its background: at least 4.5:1 (WCAG 1.4.3). */
export const TEXT_COLOR_PAIRS: readonly ColorPair[] = [
  ...BACKGROUND_COLORS.flatMap((ground): ColorPair[] => [
    ["ink", ground],
    ["muted", ground],
    ["accent-hover", ground],
    ["danger-hover", ground],
    ...SEMANTIC_COLORS.map((meaning): ColorPair => [meaning, ground]),
  ]),
  ["ink", "sunken"],
  ["muted", "sunken"],
  ["accent", "sunken"],
  ["accent-ink", "accent"],
  ["accent-ink", "accent-hover"],
  ["accent-hover", "accent-soft"],
  ["danger-ink", "danger"],
  ["danger-ink", "danger-hover"],
  ...SEMANTIC_COLORS.flatMap((meaning): ColorPair[] => [
    [meaning, `${meaning}-soft`],
    ["ink", `${meaning}-soft`],
  ]),
];

/** Borders of controls, focus rings and chart graphics: at least 3:1 (WCAG 1.4.11). */
export const GRAPHIC_COLOR_PAIRS: readonly ColorPair[] = [
  ["edge", "paper"],
  ["edge", "surface"],
  ["edge", "sunken"],
  ["accent", "accent-soft"],
  ["chart-bar", "surface"],
  ["chart-bar", "paper"],
  ["chart-line", "surface"],
  ["chart-line", "paper"],
];

/** Font sizes and line heights, in rem of 16 px. Headings stand out by weight and space more than by size. */
export const FONT_SIZES_AND_LINE_HEIGHTS_REM = {
  xs: { size: 0.8125, line: 1.125 },
  sm: { size: 0.875, line: 1.25 },
  base: { size: 1, line: 1.5 },
  lg: { size: 1.125, line: 1.75 },
  xl: { size: 1.25, line: 1.75 },
  "2xl": { size: 1.5, line: 2 },
  "3xl": { size: 1.875, line: 2.25 },
  "4xl": { size: 2.375, line: 2.75 },
} as const;

/** Corner radii in px, for controls and for containers. */
export const CORNER_RADII_PX = { control: 8, surface: 12 } as const;

/** The unit in which classes such as `p-4` count distances, in px. */
export const SPACING_GRID_PX = 4;

export const WEB_FONT_FAMILY = "Atkinson Hyperlegible Next Variable";
/** The ascent and descent of the web font, in percent of the font size. */
export const WEB_FONT_METRICS = { ascent: 98.4, descent: 31.6 } as const;

/**
 * Local fonts that are shown until the web font has loaded, scaled to its metrics, so that lines don't break
 * differently and nothing moves. `widths`: the web font's width in percent of the local font's, measured on the English
 * messages, for regular, and for bold at 550 (labels) and 650 (headings).
 */
export const FALLBACK_FONTS = [
  {
    family: "Atkinson like Arial",
    regular: ["Arial", "ArialMT", "Liberation Sans", "Helvetica"],
    bold: ["Arial Bold", "Arial-BoldMT", "Liberation Sans Bold", "Helvetica Bold"],
    widths: { regular: 99.2, label: 96, heading: 98.2 },
  },
  {
    family: "Atkinson like Roboto",
    regular: ["Roboto", "Roboto-Regular"],
    bold: ["Roboto Bold", "Roboto-Bold"],
    widths: { regular: 98.4, label: 100.2, heading: 102.5 },
  },
  {
    family: "Atkinson like DejaVu",
    regular: ["DejaVu Sans", "DejaVuSans"],
    bold: ["DejaVu Sans Bold", "DejaVuSans-Bold"],
    widths: { regular: 87, label: 80.1, heading: 82 },
  },
] as const;
