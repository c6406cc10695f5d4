import { expect, test } from "vitest";
import { describeAuditAction } from "./activity.ts";

test("an action has a sentence of its own", () => {
  expect(describeAuditAction("eventRole.grant")).toBe("Granted an event role");
});

test("an action without one is spelled out in words", () => {
  expect(describeAuditAction("export.createCsv")).toBe("Export create csv");
});

test("names of Object.prototype are not sentences", () => {
  expect(describeAuditAction("constructor")).toBe("Constructor");
});
