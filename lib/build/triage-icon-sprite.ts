import fs from "node:fs";
import path from "node:path";
import { TRIAGE_ICONS } from "#lib/design/triage-icons.ts";

type IconNode = readonly [shape: string, attributes: Readonly<Record<string, string>>];

/** Icons whose shape is filled. */
const FILLED_ICONS = new Set<string>(["starred"] satisfies (keyof typeof TRIAGE_ICONS)[]);
const STROKE_ATTRIBUTES =
  'stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"';

/**
 * Writes components/triage/generated/triage-icons.svg, the icons of the inbox in one file, from Lucide's data. The
 * bundler gives the file a name that changes with its content.
 */
export async function writeTriageIconSprite(root: string): Promise<void> {
  const folder = path.join(root, "components/triage/generated");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "triage-icons.svg"), await renderTriageIconSprite());
}

/** Renders an SVG file with one symbol for each icon of the inbox, in the color of the text around it. */
export async function renderTriageIconSprite(): Promise<string> {
  const symbols = await Promise.all(
    Object.entries(TRIAGE_ICONS).map(async ([name, icon]) => renderSymbol(name, await loadIconShapes(icon))),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">\n${symbols.join("\n")}\n</svg>\n`;
}

async function loadIconShapes(icon: string): Promise<readonly IconNode[]> {
  const { __iconData } = (await import(`lucide-react/dist/esm/icons/${icon}.mjs`)) as {
    __iconData: { node: readonly IconNode[] };
  };
  return __iconData.node;
}

function renderSymbol(name: string, nodes: readonly IconNode[]): string {
  const fill = FILLED_ICONS.has(name) ? "currentColor" : "none";
  const shapes = nodes.map(([shape, attributes]) => {
    // `key` is for React.
    const drawn = Object.entries(attributes).filter(([attribute]) => attribute !== "key");
    const attributeTexts = drawn.map(([attribute, value]) => ` ${attribute}="${value}"`);
    return `<${shape}${attributeTexts.join("")}/>`;
  });
  return `<symbol id="${name}" viewBox="0 0 24 24" fill="${fill}" ${STROKE_ATTRIBUTES}>${shapes.join("")}</symbol>`;
}
