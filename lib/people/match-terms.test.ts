import { describe, expect, test } from "vitest";
import { computeMatchTerms, type NamedPerson } from "./match-terms.ts";

const person = (given: Partial<NamedPerson>): NamedPerson => ({
  name: "Someone",
  handles: [],
  addresses: [],
  ...given,
});

const areSame = (one: Partial<NamedPerson>, other: Partial<NamedPerson>): boolean => {
  const terms = computeMatchTerms(person({ name: "One", ...one }));
  return computeMatchTerms(person({ name: "Other", ...other })).some((term) => terms.includes(term));
};

describe("the same person", () => {
  test.each([
    ["Łukasz Żak", "lukasz zak"],
    ["Müller", "Mueller"],
    ["Müller", "Muller"],
    ["O’Brien", "O'Brien"],
    ["مُحَمَّد", "محمد"],
    ["Anna  Sue", "anna sue"],
  ])("has the name %s or %s", (name, other) => expect(areSame({ name }, { name: other })).toBe(true));

  test("has a handle in common, with or without its sign", () =>
    expect(areSame({ handles: ["@Heron"] }, { handles: ["other", "heron"] })).toBe(true));

  test("has an address in common", () =>
    expect(areSame({ addresses: ["A@Example.org"] }, { addresses: ["a@example.org"] })).toBe(true));
});

test.each([
  ["a part of the name", { name: "Lukasz" }, { name: "Lukasz Zak" }],
  ["a similar name", { name: "Lukas" }, { name: "Lukasz" }],
  ["other letters of a handle", { handles: ["heron"] }, { handles: ["héron"] }],
  ["a handle that is somebody's name", { handles: ["heron"] }, { name: "heron" }],
  ["a handle that is somebody's address", { handles: ["a@example.org"] }, { addresses: ["a@example.org"] }],
])("isn't known by %s", (_, one, other) => expect(areSame(one, other)).toBe(false));

test("has each term once", () =>
  expect(computeMatchTerms({ name: "Heron", handles: ["@a", "A"], addresses: ["x@y.org"] })).toEqual([
    "name:heron",
    "handle:a",
    "address:x@y.org",
  ]));
