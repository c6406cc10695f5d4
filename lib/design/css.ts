import {
  COLORS,
  type ColorName,
  FALLBACK_FONTS,
  SPACING_GRID_PX,
  CORNER_RADII_PX,
  type Theme,
  FONT_SIZES_AND_LINE_HEIGHTS_REM,
  WEB_FONT_FAMILY,
  WEB_FONT_METRICS,
} from "./tokens.ts";

const FONT_FAMILY = [
  ...[WEB_FONT_FAMILY, ...FALLBACK_FONTS.map(({ family }) => family)].map((name) => `"${name}"`),
  'ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif',
].join(", ");

/**
 * Returns the content of `app/tokens.css`. A test compares the file with it; after a change in tokens.ts, `vitest run
 * lib/design -u` rewrites the file.
 */
export function renderTokensCss(): string {
  return `/* Printed from lib/design/tokens.ts; change it there. */
@theme static {
  --color-*: initial;
  --text-*: initial;
  --radius-*: initial;
  --shadow-*: initial;
${renderColorDeclarations("light", "  ")}
${renderFontSizeDeclarations()}
  --radius-control: ${CORNER_RADII_PX.control / 16}rem;
  --radius-surface: ${CORNER_RADII_PX.surface / 16}rem;
  --spacing: ${SPACING_GRID_PX / 16}rem;
  --font-sans:
    ${FONT_FAMILY};
}

${FALLBACK_FONTS.map(renderFontFaces).join("\n\n")}

@media (prefers-color-scheme: dark) {
  :root {
${renderColorDeclarations("dark", "    ")}
  }
}

/* Paper is white and ink is dark, whatever the screen shows. */
@media print {
  :root {
${renderColorDeclarations("light", "    ")}
    --color-paper: #ffffff;
    --color-surface: #ffffff;
  }
}
`;
}

const FALLBACK_WEIGHTS = { regular: "100 500", label: "501 600", heading: "601 900" } as const;

/**
 * The characters that the fallback fonts cover: those of the web font, which are Latin. Other scripts use the system's
 * fonts, whether or not the web font has loaded.
 */
const FALLBACK_RANGE =
  "U+0000-02FF, U+0304, U+0308, U+0329, U+1D00-1EFF, U+2000-206F, U+20A0-20C0, U+2113, U+2122, U+2191, U+2193, U+2212, U+2215";

/** Returns the faces of a local font: size-adjust also scales ascent and descent, so the overrides undo that. */
function renderFontFaces({ family, regular, bold, widths }: (typeof FALLBACK_FONTS)[number]): string {
  return (["regular", "label", "heading"] as const)
    .map((weight) => {
      const override = (metric: number) => `${Number(((100 * metric) / widths[weight]).toFixed(1))}%`;
      return `@font-face {
  font-family: "${family}";
  font-weight: ${FALLBACK_WEIGHTS[weight]};
  src: ${(weight === "regular" ? regular : bold).map((name) => `local("${name}")`).join(", ")};
  size-adjust: ${widths[weight]}%;
  ascent-override: ${override(WEB_FONT_METRICS.ascent)};
  descent-override: ${override(WEB_FONT_METRICS.descent)};
  line-gap-override: 0%;
  unicode-range: ${FALLBACK_RANGE};
}`;
    })
    .join("\n\n");
}

/** Returns the reference to a color for a stylesheet or an SVG, so that it follows the theme. */
export function formatCssColorVariable(name: ColorName): string {
  return `var(--color-${name})`;
}

function renderColorDeclarations(theme: Theme, indent: string): string {
  return Object.entries(COLORS)
    .map(([name, values]) => `${indent}--color-${name}: ${values[theme]};`)
    .join("\n");
}

function renderFontSizeDeclarations(): string {
  return Object.entries(FONT_SIZES_AND_LINE_HEIGHTS_REM)
    .map(
      ([name, { size, line }]) => `  --text-${name}: ${size}rem;\n  --text-${name}--line-height: ${line}rem;`,
    )
    .join("\n");
}
