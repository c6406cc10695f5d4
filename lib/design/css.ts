import {
  COLORS,
  type ColorName,
  FONT_FAMILY,
  GRID_UNIT,
  CORNER_RADII,
  type Theme,
  FONT_SIZES,
} from "./tokens.ts";

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
${colorDeclarations("light", "  ")}
${fontSizeDeclarations()}
  --radius-control: ${CORNER_RADII.control / 16}rem;
  --radius-surface: ${CORNER_RADII.surface / 16}rem;
  --spacing: ${GRID_UNIT / 16}rem;
  --font-sans:
    ${FONT_FAMILY};
}

@media (prefers-color-scheme: dark) {
  :root {
${colorDeclarations("dark", "    ")}
  }
}

/* Paper is white and ink is dark, whatever the screen shows. */
@media print {
  :root {
${colorDeclarations("light", "    ")}
    --color-paper: #ffffff;
    --color-surface: #ffffff;
  }
}
`;
}

/** Returns the reference to a color for a stylesheet or an SVG, so that it follows the theme. */
export function cssColor(name: ColorName): string {
  return `var(--color-${name})`;
}

function colorDeclarations(theme: Theme, indent: string): string {
  return Object.entries(COLORS)
    .map(([name, values]) => `${indent}--color-${name}: ${values[theme]};`)
    .join("\n");
}

function fontSizeDeclarations(): string {
  return Object.entries(FONT_SIZES)
    .map(
      ([name, { size, line }]) => `  --text-${name}: ${size}rem;\n  --text-${name}--line-height: ${line}rem;`,
    )
    .join("\n");
}
