import fs from "node:fs";
import path from "node:path";
import { ICON_NAMES } from "#lib/design/icon-names.ts";

type IconNode = readonly [shape: string, attributes: Readonly<Record<string, string>>];

/** Writes the style sheet of `Icon`, with Lucide's data: components/ui/generated/icons.css. */
export async function writeIconStyles(root: string): Promise<void> {
  const folder = path.join(root, "components/ui/generated");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "icons.css"), await renderIconStyles());
}

/** Renders a rule for each icon, with its shape as a mask, and those for all icons. */
export async function renderIconStyles(): Promise<string> {
  const rules = await Promise.all(
    ICON_NAMES.map(async (name) => renderRule(name, await loadIconShapes(name), "none")),
  );
  const filledStar = renderRule("star-filled", await loadIconShapes("star"), "#000");
  return `@layer components {\n${[COMMON_RULES, ...rules, filledStar].join("\n")}\n}\n`;
}

/** In forced colors, an icon has the color of its text, which isn't the author's. Printers leave out backgrounds. */
const COMMON_RULES = `.icon { display: block; flex-shrink: 0; width: var(--icon-size, 20px); height: var(--icon-size, 20px); background: var(--icon, currentcolor); mask: var(--shape, linear-gradient(#0000, #0000)) center / contain no-repeat; pointer-events: none; print-color-adjust: exact; }
.icon-16 { --icon-size: 16px; }
.icon-24 { --icon-size: 24px; }
.icon-32 { --icon-size: 32px; }
@media (forced-colors: active) { .icon { forced-color-adjust: none; background: CanvasText; } a .icon { background: LinkText; } :is(button, summary, label) .icon { background: ButtonText; } }`;

async function loadIconShapes(icon: string): Promise<readonly IconNode[]> {
  const { __iconData } = (await import(`lucide-react/dist/esm/icons/${icon}.mjs`)) as {
    __iconData: { node: readonly IconNode[] };
  };
  return __iconData.node;
}

function renderRule(name: string, nodes: readonly IconNode[], fill: string): string {
  const shapes = nodes.map(([shape, attributes]) => {
    // `key` is for React; some dots have a color of their own.
    const drawn = Object.entries(attributes).filter(([attribute]) => attribute !== "key");
    return `<${shape}${drawn.map(([attribute, value]) => ` ${attribute}='${value}'`).join("")}/>`;
  });
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='${fill}' stroke='#000' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'>${shapes.join("")}</svg>`;
  return `.i-${name} { --shape: url("data:image/svg+xml,${svg.replaceAll("#", "%23")}"); }`;
}
