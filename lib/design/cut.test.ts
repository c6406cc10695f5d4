import { expect, test } from "vitest";
import { cutInMiddle } from "./cut.ts";

test("a name that fits stays as it is", () => {
  expect(cutInMiddle("Northlight Summit 2026", 22)).toBe("Northlight Summit 2026");
});

test("of a name that is too long both ends are left", () => {
  const cut = cutInMiddle("Northlight Summit of the Open Harbours 2026", 22);
  expect(cut).toBe("Northlight Su…urs 2026");
});

test("a letter of two code units is not cut in two", () => {
  expect(cutInMiddle("😀".repeat(9), 5)).toBe("😀😀😀…😀");
});
