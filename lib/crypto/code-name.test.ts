import { expect, test } from "vitest";
import { drawCodeNames, drawNumbers } from "./code-name.ts";

test("has two words first, and three where many are taken", () => {
  const drawn = drawCodeNames(400);
  expect(drawn.slice(0, 200).filter((name) => !/^[a-z]+-[a-z]+$/.test(name))).toEqual([]);
  expect(drawn.slice(200).filter((name) => !/^[a-z]+-[a-z]+-[a-z]+$/.test(name))).toEqual([]);
});

test("repeats itself as seldom as twenty thousand names allow", () => {
  expect(new Set(drawCodeNames(400)).size).toBeGreaterThan(380);
});

test("draws numbers of four digits first, then longer ones", () => {
  expect(drawNumbers(24).map((number) => String(number).length)).toEqual([
    ...Array.from({ length: 12 }, () => 4),
    ...Array.from({ length: 8 }, () => 6),
    ...Array.from({ length: 4 }, () => 9),
  ]);
});
