import { expect, test } from "vitest";
import { parseNpmAuditReport, listSeriousVulnerabilities } from "./vulnerabilities.ts";

test("only what counts as high or critical is serious", () => {
  const vulnerabilities = {
    a: { severity: "low" },
    b: { severity: "high", range: "<2.0.0" },
    c: { severity: "critical", range: "*" },
    d: { severity: "moderate" },
  };
  expect(listSeriousVulnerabilities({ vulnerabilities })).toEqual(["b <2.0.0: high", "c *: critical"]);
  expect(listSeriousVulnerabilities({})).toEqual([]);
});

test("a response that isn't a report counts as not checked", () => {
  expect(parseNpmAuditReport("<html>")).toBeUndefined();
  expect(parseNpmAuditReport("")).toBeUndefined();
});
