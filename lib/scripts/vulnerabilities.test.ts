import { expect, test } from "vitest";
import {
  describeAuditFailure,
  listSeriousVulnerabilities,
  parseNpmAuditReport,
  summarizeAudit,
} from "./vulnerabilities.ts";

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

test("an audit that couldn't be done neither passes nor fails, and the end of the run says so", () => {
  const { passed, failed, remarks } = summarizeAudit({ completed: false, why: "405 Method Not Allowed" });
  expect([passed, failed]).toEqual([0, 0]);
  expect(remarks).toEqual([expect.stringMatching(/^NOT CHECKED: .*405 Method Not Allowed/)]);
});

test("an audit passes without serious vulnerabilities, and names them otherwise", () => {
  expect(summarizeAudit({ completed: true, serious: [] })).toEqual({ passed: 1, failed: 0, remarks: [] });
  const serious = ["b <2.0.0: high"];
  expect(summarizeAudit({ completed: true, serious })).toEqual({ passed: 0, failed: 1, remarks: serious });
});

test("a refusal of the registry is named, and so is no answer", () => {
  const refused = { message: "405 Method Not Allowed - POST /advisories", error: { summary: "", code: "" } };
  expect([describeAuditFailure(refused), describeAuditFailure()]).toEqual([refused.message, "no answer"]);
});
