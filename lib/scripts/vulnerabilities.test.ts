import { expect, test } from "vitest";
import { parse, seriousIn } from "./vulnerabilities.ts";

test("only what counts as high or critical is serious", () => {
  const vulnerabilities = {
    a: { severity: "low" },
    b: { severity: "high", range: "<2.0.0" },
    c: { severity: "critical", range: "*" },
    d: { severity: "moderate" },
  };
  expect(seriousIn({ vulnerabilities })).toEqual(["b <2.0.0: high", "c *: critical"]);
  expect(seriousIn({})).toEqual([]);
});

test("an answer that is no report is none", () => {
  expect(parse("<html>")).toBeUndefined();
  expect(parse("")).toBeUndefined();
});
