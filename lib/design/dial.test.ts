import { expect, it } from "vitest";
import { toDialString } from "./dial.ts";

it.each([
  ["112", "112"],
  [" +49 (30) 123-45.67 ", "+49301234567"],
  ["555 0100", "5550100"],
])("dials %s as %s", (phone, dialed) => {
  expect(toDialString(phone)).toBe(dialed);
});
