import { expect, it } from "vitest";
import { withoutValues } from "./unexpected.ts";

it("keeps the class, the code and where, and no word of what an error says", () => {
  const said = "Maya Castillo\n    at maya@example.org (secret.ts:1:1)";
  const error = Object.assign(new TypeError(said), { code: "ERR_SOMETHING" });
  const { stack, ...kept } = withoutValues(error);
  expect(kept).toEqual({ name: "TypeError", code: "ERR_SOMETHING" });
  expect(stack).toEqual(
    expect.arrayContaining([expect.stringMatching(/^at .*unexpected\.test\.ts:\d+:\d+/)]),
  );
  expect(JSON.stringify(stack)).not.toMatch(/maya|secret/i);
});

it("trusts neither names nor codes that are no words", () => {
  const error = Object.assign(new Error("x"), { name: "maya@example.org", code: "a b" });
  expect(withoutValues(error)).toMatchObject({ name: undefined, code: undefined });
  expect(withoutValues("maya@example.org")).toEqual({ type: "string" });
});
