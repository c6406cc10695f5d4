import { expect, test } from "vitest";
import { compareNames } from "./name-order.ts";

test("names with accents and in lower case stand beside the plain ones", () => {
  const names = ["Zoe", "Ängström", "anna", "Łukasz", "Adam", "Mia"].map((name) => ({ name }));
  expect(names.toSorted(compareNames).map(({ name }) => name)).toEqual([
    "Adam",
    "Ängström",
    "anna",
    "Łukasz",
    "Mia",
    "Zoe",
  ]);
});
