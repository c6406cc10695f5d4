import { describe, expect, it } from "vitest";
import { isDescribedByFile } from "./ooxml-vocabulary.ts";

describe("the description of a picture", () => {
  it.each([
    "C:\\Users\\Maya Castillo\\My pictures",
    "c:/users/maya",
    "file:///home/maya/a b",
    "\\\\server\\Maya Castillo\\a",
    "//server/maya",
    "..\\Maya Castillo\\a",
    "/home/maya/My pictures",
    "/srv/maya/a",
    "~/a",
    "Macintosh HD:Users:maya:Desktop:a",
    "Maya-Castillo.jpg",
    "Maya Castillo.jpg ",
  ])("is its file: %s", (text) => {
    expect(isDescribedByFile(text)).toBe(true);
  });

  it.each([
    String.raw`\frac{a}{b}`,
    String.raw`f:\mathbb{R}\to\mathbb{R}`,
    String.raw`a \\ b`,
    "A: the hall",
    "~10 people",
    "/ or the stairs",
    "... and the hall",
    "The hall and/or the stairs",
    "The file a.png on a screen",
  ])("is what somebody wrote: %s", (text) => {
    expect(isDescribedByFile(text)).toBe(false);
  });
});
