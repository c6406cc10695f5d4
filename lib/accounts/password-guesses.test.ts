import { describe, expect, it, test } from "vitest";
import { measureShortestCpuMs } from "#e2e/support/cpu-time.ts";
import { isCommonPassword, isGuessablePassword } from "#lib/accounts/password-guesses.ts";
import { listGuessablePasswordTerms } from "#lib/accounts/passwords.ts";

describe("a password", () => {
  it.each([
    "aaaaaaaa",
    "AAAAAAAAAAAA",
    "abababab",
    "12121212",
    "Password1!",
    "P@ssw0rd!",
    "password2026",
    "Password123!",
    "drowssap1",
    "abcdefgh",
    "abcd1234",
    "87654321a",
    "qwertyuiop1",
    "1qaz2wsx3edc",
    "letmein123",
    "        ",
    "aaaaaaaa".repeat(9),
  ])("of few guesses is found: %j", (password) => {
    expect(isGuessablePassword(password)).toBe(true);
  });

  it.each([
    "a quiet river at dawn",
    "seven small lanterns",
    "correct horse battery staple",
    "battery staple",
    "TcNmmm2uU2vKeQ01",
    "x7Kq93!m",
    "Tr0ub4dor&3x",
    "пароль на завтра",
    "🪷🌊🌅🏔️🌙🔥🍃🐚",
    "summer rain at noon",
  ])("that is hard to guess stays accepted: %j", (password) => {
    expect(isGuessablePassword(password)).toBe(false);
  });

  const maya = listGuessablePasswordTerms({ email: "maya.castillo@example.org", name: "Maya Castillo" });

  it.each([
    "maya.castillo@example.org",
    "maya.castillo",
    "MayaCastillo",
    "Maya Castillo",
    "castillo2026",
    "Castillo!1",
    "ollitsac",
    "heedheed",
    "Heed2026!",
    "myheed123",
  ])("made of the person's or the product's own words is found: %j", (password) => {
    expect(isGuessablePassword(password, maya)).toBe(true);
  });

  it.each(["Maya's quiet river", "heed the lantern keeper", "castillo of paper boats"])(
    "with more in it than those words stays accepted: %j",
    (password) => {
      expect(isGuessablePassword(password, maya)).toBe(false);
    },
  );

  it("takes a moment at most, however it is built", async () => {
    for (const password of [
      "a".repeat(72),
      "ab1!".repeat(18),
      "x7Kq93!mPq".repeat(7),
      "4@8({<3310!1|$5+7%2z".repeat(3),
    ]) {
      const ms = await measureShortestCpuMs(3, () => isGuessablePassword(password, maya));
      expect(ms).toBeLessThan(250);
    }
  });
});

test.each(["password", "PASSWORD", "iloveyou", "trustno1"])(
  "%s is among the most common passwords",
  (password) => {
    expect(isCommonPassword(password)).toBe(true);
  },
);

test.each(["drowssap", "p@ssw0rd1!", "a quiet river at dawn"])("%s isn't itself on the list", (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
