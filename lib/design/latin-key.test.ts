import { describe, expect, test } from "vitest";
import { toLatinKeyboardKey } from "./latin-key.ts";

describe("a key", () => {
  test.each([
    ["on an English keyboard", "j", "KeyJ", false, "j"],
    ["on an Arabic keyboard", "ت", "KeyJ", false, "j"],
    ["on an Arabic keyboard with Shift", "’", "KeyX", true, "X"],
    ["on a Russian keyboard", "о", "KeyJ", false, "j"],
    ["on a Russian keyboard with Shift", "Ф", "KeyA", true, "A"],
    ["on a Greek keyboard", "ξ", "KeyJ", false, "j"],
    ["of the Arabic question mark", "؟", "Slash", true, "?"],
    ["of the slash, on an Arabic keyboard", "ظ", "Slash", false, "/"],
    ["of the full stop, on an Arabic keyboard", "ز", "Period", false, "."],
  ])("%s is what is at its place", (_, key, code, shiftKey, wanted) => {
    expect(toLatinKeyboardKey({ key, code, shiftKey })).toBe(wanted);
  });

  test.each([
    ["of a French keyboard, where A is at the place of Q", "a", "KeyQ", "a"],
    ["of a German keyboard, where Z is at the place of Y", "z", "KeyY", "z"],
    ["with an accent", "é", "Digit2", "é"],
    ["that is a name", "Escape", "Escape", "Escape"],
  ])("%s is itself", (_, key, code, wanted) => {
    expect(toLatinKeyboardKey({ key, code, shiftKey: false })).toBe(wanted);
  });
});
