import { expect, test } from "vitest";
import { labelFieldErrors, describeErrorByField } from "./named-errors.ts";

test("each problem becomes a sentence with the label of its field", () => {
  const state = {
    ok: false,
    error: "Please check.",
    fieldErrors: { password: "must be at least 8 characters" },
  };
  expect(labelFieldErrors(state, { password: "Password" }).fieldErrors).toEqual({
    password: "Password must be at least 8 characters.",
  });
});

test("a field without a label keeps its problem", () => {
  expect(labelFieldErrors({ ok: false, fieldErrors: { code: "is missing" } }, {}).fieldErrors).toEqual({
    code: "is missing",
  });
});

test("a state without problems of fields stays as it is", () => {
  const state = { ok: false, error: "This short name is already taken." };
  expect(labelFieldErrors(state, { slug: "Address" })).toBe(state);
});

test("a problem that is a sentence stays as it is", () => {
  const fieldErrors = { slug: "This short name is already taken. Choose another." };
  expect(labelFieldErrors({ ok: false, fieldErrors }, { slug: "The short name" }).fieldErrors).toEqual(
    fieldErrors,
  );
});

test("an error about a field of the form is shown at the field", () => {
  const error = { key: "slugTakenByEvent", values: {}, field: "slug" } as const;
  expect(describeErrorByField(error, ["name", "slug"])).toEqual({
    slug: "This short name is already taken. An event already uses it; choose a different one.",
  });
});

test.each(["slug", "", undefined])("an error about %j is about none of the fields", (field) => {
  const error = { key: "slugTakenByEvent", values: {}, field } as const;
  expect(describeErrorByField(error, ["name", "newSlug"])).toBeUndefined();
});
