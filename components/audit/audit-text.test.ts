import { expect, test } from "vitest";
import { AUDIT_ACTIONS as RECORDED_ACTIONS, AUDIT_OBJECT_TYPES } from "#lib/audit/actions.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import de from "#lib/i18n/messages/de/audit.json" with { type: "json" };
import en from "#lib/i18n/messages/en/audit.json" with { type: "json" };
import { AUDIT_ACTION_GROUPS, type AuditActionGroup, listAuditObjectTypes } from "./audit-text.ts";

/** Every action that the code writes must have its message. */

const filterableActions = Object.entries(AUDIT_ACTION_GROUPS).flatMap(([group, names]) =>
  names.map((name) => `${group}.${name}`),
);

test("the filter offers exactly the actions that can be written", () => {
  expect(filterableActions.toSorted()).toEqual(Object.keys(RECORDED_ACTIONS).toSorted());
});

test.each([
  ["English", en],
  ["German", de],
])("in %s every action and every group has a message", (_, messages: Record<string, string>) => {
  const keys = [
    ...filterableActions.map((one) => `action.${one}`),
    ...Object.keys(AUDIT_ACTION_GROUPS).map((one) => `group.${one}`),
  ];
  expect(keys.filter((key) => !(key in messages))).toEqual([]);
});

/** What the right of an entry is where nobody's role, and no person, allowed it. */
const RIGHTS = [
  "anonymous",
  "command",
  "invite",
  "mailbox",
  "operator",
  "public",
  "reporter",
  "self",
  "service",
  "SystemAdmin",
  "token",
];

test.each(LOCALES)("every right has a label in %s", (locale) => {
  const messages = getMessages(locale, "audit");
  expect(RIGHTS.filter((right) => !(`right.${right}` in messages))).toEqual([]);
});

test("the filter offers exactly the types of objects that entries can be about", () => {
  const groups = Object.keys(AUDIT_ACTION_GROUPS) as AuditActionGroup[];
  expect(listAuditObjectTypes(groups).toSorted()).toEqual(AUDIT_OBJECT_TYPES.toSorted());
  expect(listAuditObjectTypes(["incidents", "intake"])).toEqual(["event", "incident"]);
});

test.each(LOCALES)("every type of object has a label in %s", (locale) => {
  const messages = getMessages(locale, "audit");
  expect(AUDIT_OBJECT_TYPES.filter((type) => !(`kind.${type}` in messages))).toEqual([]);
});
