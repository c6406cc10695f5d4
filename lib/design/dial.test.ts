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

it.each([
  ["\u202a+49 170 1234567\u202c", "+491701234567"],
  ["\u200e+44\u00a07700\u2011900\u2011123\u200b", "+447700900123"],
  ["030/123 45-67", "0301234567"],
])("dials %j without its invisible characters and separators", (phone, dialed) => {
  expect(toDialString(phone)).toBe(dialed);
});

it.each([
  "0170 1234567 (after 6pm)",
  "112 or 110",
  "110/112",
  "0170 1234567 / 0171 7654321",
  "0170 1234567 0171 7654321",
  "the desk, 555 0100",
  "555 0100\u202e x2",
  "1+1",
  "5",
  "",
])("dials nothing for %j, which isn't one number", (phone) => {
  expect(toDialString(phone)).toBeNull();
});
