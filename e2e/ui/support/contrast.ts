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
 * text that looks like one that had enough contrast, in this process, isn't measured again; and axe measures only what
 * doesn't have enough by its color and the backgrounds around it alone, or may lie over something else.
 *
 * A style is what axe computes with: color and size of the text, what shines through, and each element from the text's
 * own to the first with an opaque background, with its tag, its classes and its background.
 */

/** What axe computes colors with. */
type AxeColor = { alpha: number; parseString: (color: string) => AxeColor };
type AxeColors = {
  Color: new () => AxeColor;
  flattenColors: (above: AxeColor, below: AxeColor) => AxeColor;
  getContrast: (background: AxeColor, text: AxeColor) => number;
};

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

/**
 * Runs in the page. Text may cover something else where its own box is out of the flow, or where another's with a
 * background is: that is always measured.
 */
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
    const isPlaced = !isOpaque && (position === "absolute" || position === "fixed");
    const all = {
      parts: around ? `${own}\n${around.parts}` : own,
      isOutOfFlow: isPlaced || around?.isOutOfFlow === true,
    };
    surroundings.set(element, all);
    return all;
  };
  const elements = [...document.body.querySelectorAll("*")];
  const isMoved = (element: Element | null): boolean =>
    element !== null &&
    (/absolute|fixed|sticky/.test(getComputedStyle(element).position) || isMoved(element.parentElement));
  const coverings = elements
    .filter((element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      const hasBackground =
        backgroundImage !== "none" || !/^rgba\(.*, 0\)$| \/ 0\)$|^transparent$/.test(backgroundColor);
      return hasBackground && isMoved(element) && isShown(element);
    })
    .map((element) => ({ element, box: element.getBoundingClientRect() }));
  const isCovered = (text: Element) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return coverings.some(
      ({ element, box }) =>
        !element.contains(text) &&
        !text.contains(element) &&
        box.left < right &&
        box.right > left &&
        box.top < bottom &&
        box.bottom > top,
    );
  };
  for (const text of elements) {
    if (!isText(text) || !isShown(text)) continue;
    const computed = getComputedStyle(text);
    const { parts, isOutOfFlow } = surroundingsOf(text);
    if (isOutOfFlow || isCovered(text)) texts.unlikeOthers.push(text);
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

/**
 * Runs in the page: measures one text of each style, and the others where that one says nothing, such as a single
 * letter.
 */
async function measureContrast({ groups, unlikeOthers }: StyledTexts, styles: string[]) {
  const { axe } = globalThis as unknown as { axe: typeof Axe & { commons: { color: AxeColors } } };
  const { Color, flattenColors, getContrast } = axe.commons.color;
  /** The background of a text, if it is made of colors alone and nothing is let through. */
  const findPlainBackground = (text: Element): AxeColor | undefined => {
    const layers: AxeColor[] = [];
    for (let around: Element | null = text; around; around = around.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(around);
      if (opacity !== "1") return;
      if (layers.at(-1)?.alpha === 1) continue;
      if (backgroundImage !== "none") return;
      layers.push(new Color().parseString(backgroundColor));
    }
    if (layers.at(-1)?.alpha !== 1) return;
    return layers.reduceRight((below, layer) => flattenColors(layer, below));
  };
  const isSufficient = (text: Element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(text);
    const background = textShadow === "none" ? findPlainBackground(text) : undefined;
    const isLarge = parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.67 : 24);
    return background && getContrast(background, new Color().parseString(color)) > (isLarge ? 3 : 4.5);
  };
  const plain = new Set(styles.filter((style) => isSufficient(groups.get(style)![0]!)));
  const unknown = styles.filter((style) => !plain.has(style));
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
  return { violations, sufficient: violations.length > 0 ? [] : [...plain, ...unknown.filter(isMeasured)] };
}
