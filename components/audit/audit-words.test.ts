import { expect, test } from "vitest";
import { ACTIONS as WRITTEN } from "#lib/audit/actions.ts";
import de from "#lib/i18n/messages/de/audit.json" with { type: "json" };
import en from "#lib/i18n/messages/en/audit.json" with { type: "json" };
import { ACTIONS } from "./audit-words.ts";

/** The log is told in words: no action that the code writes is without them. */

const offered = Object.entries(ACTIONS).flatMap(([group, names]) => names.map((name) => `${group}.${name}`));

test("every action that can be written can be looked for, and no other", () => {
  expect(offered.toSorted()).toEqual(Object.keys(WRITTEN).toSorted());
});

test.each([
  ["English", en],
  ["German", de],
])("in %s every action and every group has words", (_, words: Record<string, string>) => {
  const keys = [
    ...offered.map((one) => `action.${one}`),
    ...Object.keys(ACTIONS).map((one) => `group.${one}`),
  ];
  expect(keys.filter((key) => !(key in words))).toEqual([]);
});
