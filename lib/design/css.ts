import { COLORS, type ColorName, FONT_FAMILY, GRID, RADIUS, type Theme, TYPE } from "./tokens.ts";

/**
 * The text of `app/tokens.css`. A test compares the file with it; after a change in tokens.ts,
 * `vitest run lib/design -u` writes the file anew.
 */
export function tokensCss(): string {
  return `/* Printed from lib/design/tokens.ts; change it there. */
@theme static {
  --color-*: initial;
  --text-*: initial;
  --radius-*: initial;
  --shadow-*: initial;
${colors("light", "  ")}
${type()}
  --radius-control: ${RADIUS.control / 16}rem;
  --radius-surface: ${RADIUS.surface / 16}rem;
  --spacing: ${GRID / 16}rem;
  --font-sans:
    ${FONT_FAMILY};
}

@media (prefers-color-scheme: dark) {
  :root {
${colors("dark", "    ")}
  }
}

/* Paper is white and ink is dark, whatever the screen shows. */
@media print {
  :root {
${colors("light", "    ")}
    --color-paper: #ffffff;
    --color-surface: #ffffff;
  }
}
`;
}

/** How a stylesheet or an SVG names a colour, so that it follows the theme. */
export function cssColor(name: ColorName): string {
  return `var(--color-${name})`;
}

function colors(theme: Theme, indent: string): string {
  return Object.entries(COLORS)
    .map(([name, values]) => `${indent}--color-${name}: ${values[theme]};`)
    .join("\n");
}

function type(): string {
  return Object.entries(TYPE)
    .map(
      ([name, { size, line }]) => `  --text-${name}: ${size}rem;\n  --text-${name}--line-height: ${line}rem;`,
    )
    .join("\n");
}
