import { expect, test } from "vitest";
import { splitEmailAddresses } from "./email-list.ts";

test.each([
  [undefined, []],
  [" \n ", []],
  ["maya@example.org", ["maya@example.org"]],
  [
    "maya@example.org, Omar <omar@example.org>;\nnot an address\n",
    ["maya@example.org", "omar@example.org", "not an address"],
  ],
])("splits %j", (text, expected) => {
  expect(splitEmailAddresses(text)).toEqual(expected);
});
