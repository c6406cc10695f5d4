import { expect, test } from "vitest";
import { findMentionAt, filterPeopleByName } from "./mentions.ts";

test.each([
  ["See @", { at: 4, name: "" }],
  ["See @om", { at: 4, name: "om" }],
  ["@Omar Ha", { at: 0, name: "Omar Ha" }],
  ["write to omar@exa", null],
  ["@ two", null],
  ["@Omar\nnext", null],
  ["nobody", null],
])("in %j the name being written is %j", (text, mention) => {
  expect(findMentionAt(text, text.length)).toEqual(mention);
});

test("text after the cursor is not part of the typed name", () => {
  expect(findMentionAt("@om is here", 3)).toEqual({ at: 0, name: "om" });
});

test("people are found by any word of their name, in any letter case and without accents", () => {
  const people = [{ name: "Omar Haddad" }, { name: "Inés Ortega" }, { name: "Ada Moreno" }];
  expect(filterPeopleByName(people, "o").map(({ name }) => name)).toEqual(["Omar Haddad", "Inés Ortega"]);
  expect(filterPeopleByName(people, "ines")).toEqual([people[1]]);
  expect(filterPeopleByName(people, "Ada Moreno")).toEqual([]);
});

test.each(["obr", "o'b", "O’", "mue", "mü", "mull", "los", "lo\u200bs"])(
  "%j finds a name that is spelled otherwise",
  (typed) => {
    expect(filterPeopleByName([{ name: "O’Brien-Müller Łoś" }], typed)).toHaveLength(1);
  },
);
