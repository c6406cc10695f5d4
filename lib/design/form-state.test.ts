import { expect, test } from "vitest";
import { isFormSubmissionRejected, collectRestorableFormValues, INITIAL_FORM_STATE } from "./form-state.ts";

test("texts are collected, several values of one name included, without passwords, files and names of no field of ours", () => {
  const form = new FormData();
  form.set("title", "Shouting at the desk");
  form.append("category", "Harassment");
  form.append("category", "Threat");
  form.set("password", "correct horse");
  form.set("newPassword", "battery staple");
  form.set("$ACTION_KEY", "k1");
  form.set("<b>", "made up");
  form.set("n".repeat(101), "made up");
  form.set("relatedFiles", new File(["x"], "photo.jpg"));
  expect(collectRestorableFormValues(form)).toEqual({
    title: "Shouting at the desk",
    category: "Harassment\nThreat",
  });
});

test("only brackets at the end of a name are left out", () => {
  const form = new FormData();
  form.append("people[]", "Omar");
  form.append("people[]", "Ada");
  form.append("a[]b", "c");
  expect(collectRestorableFormValues(form)).toEqual({ people: "Omar\nAda", "a[]b": "c" });
});

test("a form is refused when it has an error of its own or of a field, not before it was sent", () => {
  expect(isFormSubmissionRejected(INITIAL_FORM_STATE)).toBe(false);
  expect(isFormSubmissionRejected({ ok: true, message: "Saved" })).toBe(false);
  expect(isFormSubmissionRejected({ ok: false, fieldErrors: {} })).toBe(false);
  expect(isFormSubmissionRejected({ ok: false, error: "This invite has expired." })).toBe(true);
  expect(
    isFormSubmissionRejected({ ok: false, fieldErrors: { title: "Write at least 10 characters." } }),
  ).toBe(true);
});
