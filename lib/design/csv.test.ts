import { describe, expect, it } from "vitest";
import { escapeFormula } from "./csv.ts";

describe("escapeFormula", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\rplain", "\tplain"])(
    "puts an apostrophe before %j",
    (text) => {
      expect(escapeFormula(text)).toBe(`'${text}`);
    },
  );

  it.each([
    '"=1+1',
    "'=1+1",
    ",=1",
    ";+1",
    " =1",
    "\u00a0-1",
    "\n@x",
    '",="',
    "\u200b=1",
    "\ufeff=1",
    "\0=1",
    "＝1",
    "|=cmd",
  ])("finds the formula sign behind the characters before it in %j", (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`);
  });

  it.each(["", "Shouted at a volunteer", "1-2", "a=b", "Line one\n=two", "'quoted'", "–1 dash", "😀 = x"])(
    "leaves %j unchanged",
    (text) => {
      expect(escapeFormula(text)).toBe(text);
    },
  );
});
