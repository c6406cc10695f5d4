import { expect, it } from "vitest";
import { toDialString } from "./dial.ts";

it.each([
  ["112", "112"],
  [" +49 (30) 123-45.67 ", "+49301234567"],
  ["555 0100", "5550100"],
  ["+49 (0)30 1234567", "+49301234567"],
  ["(0)30 1234567", "0301234567"],
  ["٠١٥٥ ۱۲۳", "0155123"],
])("dials %s as %s", (phone, dialed) => {
  expect(toDialString(phone)).toBe(dialed);
});
