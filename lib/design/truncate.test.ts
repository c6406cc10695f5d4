import { expect, test } from "vitest";
import { truncateText, truncateMiddle } from "./truncate.ts";

test("a name that fits stays as it is", () => {
  expect(truncateMiddle("Northlight Summit 2026", 22)).toBe("Northlight Summit 2026");
});

test("a name that is too long keeps both ends", () => {
  const cut = truncateMiddle("Northlight Summit of the Open Harbours 2026", 22);
  expect(cut).toBe("Northlight Su…urs 2026");
});

test("a letter of two code units is not cut in two", () => {
  expect(truncateMiddle("😀".repeat(9), 5)).toBe("😀😀😀…😀");
});

test("a truncated text ends between two words, with an ellipsis", () => {
  const most = { letters: 20, lines: 2 };
  expect(truncateText("Short enough", most)).toBe("Short enough");
  expect(truncateText("It began at the door of the hall", most)).toBe("It began at the door …");
  expect(truncateText("It began at the doors of the hall", most)).toBe("It began at the …");
  expect(truncateText("one\ntwo\nthree", most)).toBe("one\ntwo …");
  expect(truncateText("😀".repeat(30), most)).toBe(`${"😀".repeat(20)} …`);
});
