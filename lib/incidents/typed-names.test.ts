import { expect, test } from "vitest";
import { matchTypedNames } from "./typed-names.ts";

const TEAM = ["Anna Müller", "Anna Zółć", "Seán O’Brien", "Omar Haddad", "Lê", "محمد علي"].map((name) => ({
  name,
}));
const match = (typed: string) => {
  const { matches, isComplete } = matchTypedNames(typed, TEAM);
  return [matches.map(({ name }) => name), isComplete];
};

test.each([
  ["the whole name", "Omar Haddad", ["Omar Haddad"]],
  ["another order and letter case", "  MULLER  anna ", ["Anna Müller"]],
  ["another spelling", "mueller", ["Anna Müller"]],
  ["letters without their strokes", "Zolc", ["Anna Zółć"]],
  ["no apostrophe", "Sean OBrien", ["Seán O’Brien"]],
  ["another apostrophe", "o'brien", ["Seán O’Brien"]],
  ["a part that several people have", "Anna", ["Anna Müller", "Anna Zółć"]],
  ["more than the account says", "Dr. Omar Haddad (Security)", ["Omar Haddad"]],
  ["another alphabet", "محمد علي", ["محمد علي"]],
  ["several people", "Omar and Lê", ["Omar Haddad", "Lê"]],
  ["several people, in lines", "Omar Haddad\nAnna Müller", ["Anna Müller", "Omar Haddad"]],
])("%s finds everybody who may be meant", (_, typed, names) => {
  expect(match(typed)).toEqual([names, true]);
});

test.each([
  ["nobody on the team", "Maya Castillo", []],
  ["another first name", "Omara Haddad", ["Omar Haddad"]],
  ["a title with a name", "Herr Muller", ["Anna Müller"]],
  ["a name with an initial", "Omar H.", ["Omar Haddad"]],
  ["a part of a mail address", "omar@example.org", ["Omar Haddad"]],
  ["an initial and a short word", "O. de L.", []],
  ["nothing but marks", "?!", []],
  ["one of two", "Omar Haddad, Maya Castillo", ["Omar Haddad"]],
])("%s isn't complete", (_, typed, names) => {
  expect(match(typed)).toEqual([names, false]);
});

test("a mistyped name also finds its person where somebody else has one of its words as a name", () => {
  const people = [{ name: "Mal" }, { name: "Mal Accused" }, { name: "Hanna Honest" }];
  expect(matchTypedNames("Mal Acused", people).matches).toEqual(people.slice(0, 2));
  expect(matchTypedNames("Mal Accused", people).matches).toEqual(people.slice(0, 2));
});

test("a whole name also finds whoever has just one of its words, and not whoever has another name", () => {
  const people = [{ name: "Mal A." }, { name: "Mal Accused" }, { name: "Mal Honest" }, { name: "accused" }];
  expect(matchTypedNames("Mal Accused", people).matches).toEqual([people[0], people[1], people[3]]);
});
