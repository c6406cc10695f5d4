import { expect, test } from "vitest";
import { nameErrors } from "./named-errors.ts";

test("each problem becomes a sentence with the label of its field", () => {
  const state = {
    ok: false,
    error: "Please check.",
    fieldErrors: { password: "must be at least 8 characters" },
  };
  expect(nameErrors(state, { password: "Password" }).fieldErrors).toEqual({
    password: "Password must be at least 8 characters.",
  });
});

test("a field without a label keeps its problem", () => {
  expect(nameErrors({ ok: false, fieldErrors: { code: "is missing" } }, {}).fieldErrors).toEqual({
    code: "is missing",
  });
});

test("a state without problems of fields stays as it is", () => {
  const state = { ok: false, error: "This address is taken." };
  expect(nameErrors(state, { slug: "Address" })).toBe(state);
});
