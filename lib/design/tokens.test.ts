import fs from "node:fs";
import { format } from "oxfmt";
import { describe, expect, test } from "vitest";
import { computeContrastRatio } from "./contrast.ts";
import { renderTokensCss } from "./css.ts";
import { COLORS, type ColorName, GRAPHIC_COLOR_PAIRS, TEXT_COLOR_PAIRS, type Theme } from "./tokens.ts";

const THEMES: Theme[] = ["light", "dark"];

describe("contrast", () => {
  test("black on white is 21, a color on itself is 1, the order doesn't matter", () => {
    expect(computeContrastRatio("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(computeContrastRatio("#0b5a5c", "#0b5a5c")).toBe(1);
    expect(computeContrastRatio("#ffffff", "#767676")).toBeCloseTo(4.54, 2);
    expect(computeContrastRatio("#767676", "#ffffff")).toBe(computeContrastRatio("#ffffff", "#767676"));
  });

  test("a color other than #rrggbb is refused", () => {
    expect(() => computeContrastRatio("#fff", "#000000")).toThrow(RangeError);
    expect(() => computeContrastRatio("#000000", "red")).toThrow(RangeError);
  });
});

describe("tokens", () => {
  test.each(THEMES)("every text pair has at least 4.5:1 in the %s theme", (theme) => {
    expect(below(TEXT_COLOR_PAIRS, theme, 4.5)).toEqual([]);
  });

  test.each(THEMES)("every edge, ring and chart mark has at least 3:1 in the %s theme", (theme) => {
    expect(below(GRAPHIC_COLOR_PAIRS, theme, 3)).toEqual([]);
  });

  test("every color but the hairline takes part in a checked pair", () => {
    const checked = new Set([...TEXT_COLOR_PAIRS, ...GRAPHIC_COLOR_PAIRS].flat());
    const unchecked = Object.keys(COLORS).filter((name) => !checked.has(name as ColorName));
    expect(unchecked).toEqual(["line"]);
  });

  test("app/tokens.css matches tokens.ts", async () => {
    const { printWidth } = JSON.parse(fs.readFileSync(".oxfmtrc.json", "utf8"));
    const { code } = await format("app/tokens.css", renderTokensCss(), { printWidth });
    await expect(code).toMatchFileSnapshot("../../app/tokens.css");
  });
});

function below(pairs: typeof TEXT_COLOR_PAIRS, theme: Theme, least: number): string[] {
  return pairs
    .map(([fore, back]) => ({
      fore,
      back,
      ratio: computeContrastRatio(COLORS[fore][theme], COLORS[back][theme]),
    }))
    .filter(({ ratio }) => ratio < least)
    .map(({ fore, back, ratio }) => `${fore} on ${back}: ${ratio.toFixed(2)}`);
}
