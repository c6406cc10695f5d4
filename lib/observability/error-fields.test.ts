import { expect, it } from "vitest";
import { buildErrorLogFields } from "./error-fields.ts";

it("logs class, code and stack frames of an error, and not its message", () => {
  const said = "Maya Castillo\n    at maya@example.org (secret.ts:1:1)";
  const error = Object.assign(new TypeError(said), { code: "ERR_SOMETHING" });
  const { stack, ...remaining } = buildErrorLogFields(error);
  expect(remaining).toEqual({ name: "TypeError", code: "ERR_SOMETHING" });
  expect(stack).toEqual(
    expect.arrayContaining([expect.stringMatching(/^at .*error-fields\.test\.ts(\?\S+)?:\d+:\d+/)]),
  );
  expect(JSON.stringify(stack)).not.toMatch(/maya|secret/i);
});

it("leaves out names and codes that aren't single words", () => {
  const error = Object.assign(new Error("x"), { name: "maya@example.org", code: "a b" });
  expect(buildErrorLogFields(error)).toMatchObject({ name: undefined, code: undefined });
  expect(buildErrorLogFields("maya@example.org")).toEqual({ type: "string" });
});
