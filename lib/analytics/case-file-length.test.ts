import { expect, it } from "vitest";
import { fitTexts, measureText } from "./case-file-length.ts";

const section = (...texts: string[]) => ({
  heading: "Timeline",
  facts: [],
  texts: texts.map((text) => ({ about: "Ada", text })),
});
const fit = (...sections: ReturnType<typeof section>[]) => fitTexts(sections, (count) => `${count} more`);

it("counts a line that isn't full as a full one", () => {
  expect(measureText("a")).toBe(measureText("a".repeat(95)));
  expect(measureText("a\nb")).toBe(2 * measureText("a"));
  expect(measureText("a".repeat(96))).toBe(2 * measureText("a"));
});

it("keeps texts as they are, but for blank lines in a row", () => {
  expect(fit(section("one\r\ntwo\n\n \n\nthree"))[0]?.texts).toEqual([
    { about: "Ada", text: "one\ntwo\n\nthree" },
  ]);
});

it("leaves out what doesn't fit, and says how much of each section", () => {
  const long = "x".repeat(20_000);
  const [first, second] = fit(section(...Array.from({ length: 60 }, () => long)), section("short", "short"));
  expect(first?.texts).toHaveLength(50);
  expect(first?.texts.at(-1)).toEqual({ about: "", text: "11 more" });
  expect(second?.texts).toEqual([{ about: "", text: "2 more" }]);
});
