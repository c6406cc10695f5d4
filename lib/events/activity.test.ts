import { expect, test } from "vitest";
import { sentenceFor } from "./activity.ts";

test("an action has a sentence of its own", () => {
  expect(sentenceFor("eventRole.grant")).toBe("Gave somebody a role in the event");
});

test("an action without one is spelled out in words", () => {
  expect(sentenceFor("export.createCsv")).toBe("Export create csv");
});

test("names that every object has are no sentences", () => {
  expect(sentenceFor("constructor")).toBe("Constructor");
});
