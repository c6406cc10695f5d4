import fs from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type * as Axe from "axe-core";

const AXE_SOURCE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Loads axe into the page itself, since no page has frames; once a page. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE_SOURCE);
}

/**
 * Contrast takes axe more time than all its other rules together, and the parts of a page come again on most others. So
 * text that looks like one that had enough contrast, in this process, isn't measured again.
 *
 * A style is what axe computes with: color and size of the text, what shines through, and each element from the text's
 * own to the first with an opaque background, with its tag, its classes and its background.
 */

type StyledTexts = { groups: Map<string, Element[]>; unlikeOthers: Element[] };

const sufficientStyles = new Set<string>();

/** Finds texts of a page with too little contrast in the page's theme. */
export async function findContrastViolations(page: Page): Promise<string[]> {
  await loadAxe(page);
  const texts = await page.evaluateHandle(groupTextByStyle);
  const found = await texts.evaluate((all) => [...all.groups.keys()]);
  const result = await texts.evaluate(
    measureContrast,
    found.filter((style) => !sufficientStyles.has(style)),
  );
  for (const style of result.sufficient) sufficientStyles.add(style);
  await texts.dispose();
  return result.violations;
}

/** Runs in the page. Text may cover something else where its own box is out of the flow: that is always measured. */
function groupTextByStyle(): StyledTexts {
  const texts: StyledTexts = { groups: new Map(), unlikeOthers: [] };
  const opacities = new Map<Element | null, number>([[null, 1]]);
  const opacityOf = (element: Element | null): number => {
    const known = opacities.get(element);
    if (known !== undefined) return known;
    const opacity = Number(getComputedStyle(element!).opacity) * opacityOf(element!.parentElement);
    opacities.set(element, opacity);
    return opacity;
  };
  const isText = (element: Element) =>
    element.matches("input, select, textarea") ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue!.trim());
  // Above the page, as the skip link is until it has the focus, axe finds no background and measures nothing.
  const isShown = (element: Element) => {
    const { width, height, bottom } = element.getBoundingClientRect();
    const isOnPage = width > 1 && height > 1 && bottom + scrollY > 0;
    return isOnPage && element.checkVisibility({ visibilityProperty: true });
  };
  const surroundings = new Map<Element, { parts: string; isOutOfFlow: boolean }>();
  const surroundingsOf = (element: Element): { parts: string; isOutOfFlow: boolean } => {
    const known = surroundings.get(element);
    if (known) return known;
    const { backgroundColor, backgroundImage, position } = getComputedStyle(element);
    const own = `${element.tagName} ${element.getAttribute("class")} ${backgroundColor} ${backgroundImage}`;
    const isTransparent = /[/,] *0?(\.\d+)?\)$|^transparent$/.test(backgroundColor);
    const isOpaque = !isTransparent && backgroundImage === "none";
    const around = isOpaque || !element.parentElement ? undefined : surroundingsOf(element.parentElement);
    const isMoved = !isOpaque && (position === "absolute" || position === "fixed");
    const all = {
      parts: around ? `${own}\n${around.parts}` : own,
      isOutOfFlow: isMoved || around?.isOutOfFlow === true,
    };
    surroundings.set(element, all);
    return all;
  };
  for (const text of document.body.querySelectorAll("*")) {
    if (!isText(text) || !isShown(text)) continue;
    const computed = getComputedStyle(text);
    const { parts, isOutOfFlow } = surroundingsOf(text);
    if (isOutOfFlow) texts.unlikeOthers.push(text);
    else {
      const own = [
        computed.color,
        computed.fontSize,
        computed.fontWeight,
        computed.textShadow,
        opacityOf(text),
      ];
      const key = [...own, parts].join("\n");
      const group = texts.groups.get(key);
      if (group) group.push(text);
      else texts.groups.set(key, [text]);
    }
  }
  return texts;
}

/** Runs in the page: measures one text of each style, and the others where that one says nothing, such as a single letter. */
async function measureContrast({ groups, unlikeOthers }: StyledTexts, unknown: string[]) {
  const { axe } = globalThis as unknown as { axe: typeof Axe };
  const violations: string[] = [];
  const measured = new Set<unknown>();
  const measure = async (include: Element[]) => {
    if (include.length === 0) return;
    const options = {
      runOnly: ["color-contrast"],
      resultTypes: ["violations" as const, "passes" as const],
      preload: false,
      selectors: false,
      elementRef: true,
    };
    const result = await axe.run({ include }, options);
    for (const { id, nodes } of result.violations)
      violations.push(`${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    // Text that is out of sight passes, but without a ratio.
    for (const { element, any } of result.passes.flatMap(({ nodes }) => nodes))
      if (any.some(({ data }) => data?.contrastRatio)) measured.add(element);
  };
  const isMeasured = (style: string) => groups.get(style)!.some((text) => measured.has(text));
  await measure([...unlikeOthers, ...unknown.map((style) => groups.get(style)![0]!)]);
  await measure(
    unknown.filter((style) => !isMeasured(style)).flatMap((style) => groups.get(style)!.slice(1)),
  );
  return { violations, sufficient: violations.length > 0 ? [] : unknown.filter(isMeasured) };
}
