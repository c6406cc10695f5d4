import { describe, expect, it } from "vitest";
import { isLoadingFormula } from "./formulas.ts";

describe("a formula", () => {
  it.each([
    `WEBSERVICE("https://example.org")`,
    `_xlfn.IMAGE (A1)`,
    `"'"&WEBSERVICE(A1)&"'"`,
    `'a"b'!A1&WEBSERVICE(A1)&'a"b'!A1`,
    `T['[a]&WEBSERVICE(A1)&T['[b]`,
    `T[a"]&WEBSERVICE(A1)&T[a"]`,
    `T[[#All],[a'']]]&WEBSERVICE(A1)&'b'!A1`,
    `of:=['a]'.A1]&WEBSERVICE([.A1])&['a]'.A1]`,
    `"a" & 'b'!IMAGE(A1)`,
  ])("loads something: %s", (formula) => {
    expect(isLoadingFormula(formula)).toBe(true);
  });

  it.each([
    `'Image (2)'!$A$1:$H$30`,
    `'It''s an image (2)'!A1`,
    `of:=[$'Image (2)'.A1]`,
    `"see image (page 2)"`,
    `"He said ""image (2)"""&A1`,
    `IF(A1,"it's","an image (2)")`,
    `SUM(T[[#All],[a]])`,
  ])("loads nothing where its texts and sheets bear the name of a function: %s", (formula) => {
    expect(isLoadingFormula(formula)).toBe(false);
  });
});
