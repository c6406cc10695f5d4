import { expect, test } from "vitest";
import { describeAction } from "./activity.ts";

test("an action has a sentence of its own", () => {
  expect(describeAction("eventRole.grant")).toBe("Granted an event role");
});

test("an action without one is spelled out in words", () => {
  expect(describeAction("export.createCsv")).toBe("Export create csv");
});

test("names of Object.prototype are not sentences", () => {
  expect(describeAction("constructor")).toBe("Constructor");
});
