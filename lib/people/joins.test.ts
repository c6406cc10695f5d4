import { describe, expect, test } from "vitest";
import { computeGroups, joinPeople, splitPerson, type Joinable } from "./joins.ts";

const alone = (ids: string): Joinable[] => [...ids].map((id) => ({ id, joinedToId: null }));

/** The groups, each as the letters of its people in order. */
const listGroups = (people: readonly Joinable[]): string[] => {
  const groups = computeGroups(people);
  const members = new Map<string, string>();
  for (const { id } of people) members.set(groups.get(id)!, (members.get(groups.get(id)!) ?? "") + id);
  return [...members.values()].map((ids) => [...ids].toSorted().join("")).toSorted();
};

const join = (people: readonly Joinable[], ...pairs: string[]): Joinable[] =>
  pairs.reduce<Joinable[]>((all, [one, other]) => joinPeople(all, one!, other!), [...people]);

const split = (people: readonly Joinable[], id: string, known = "abcdefgh") =>
  splitPerson(people, id, (one) => known.includes(one.id));

describe("joined people", () => {
  test("are one group, whoever was joined to whom before", () => {
    expect(listGroups(join(alone("abcd"), "ab"))).toEqual(["ab", "c", "d"]);
    expect(listGroups(join(alone("abcd"), "ab", "cd", "bd"))).toEqual(["abcd"]);
    expect(listGroups(join(alone("abcdef"), "ba", "ca", "ed", "fe", "cf"))).toEqual(["abcdef"]);
  });

  test("are as they were once they are split, from either side", () => {
    const pairs = join(alone("abcd"), "ab", "cd");
    for (const [one, other] of ["ac", "ad", "bc", "bd"].map((pair) => [pair[0]!, pair[1]!] as const)) {
      const joined = joinPeople(pairs, one, other);
      const without = joined.map((person) => {
        const isLine =
          [person.id, person.joinedToId].includes(one) && [person.id, person.joinedToId].includes(other);
        return isLine ? { id: person.id, joinedToId: null } : person;
      });
      expect(listGroups(without)).toEqual(["ab", "cd"]);
    }
  });
});

describe("a person who is split", () => {
  test("from the last of a chain leaves the others joined", () => {
    expect(listGroups(split(join(alone("abc"), "ab", "bc"), "a"))).toEqual(["a", "bc"]);
    expect(listGroups(split(join(alone("abc"), "ab", "bc"), "c"))).toEqual(["ab", "c"]);
  });

  test("leaves all whom they were joined to directly", () =>
    expect(listGroups(split(join(alone("abcd"), "ba", "ca", "dc"), "a"))).toEqual(["a", "b", "cd"]));

  test("stays with those whom the actor can't know", () => {
    const people = join(alone("abh"), "ah", "ab");
    expect(listGroups(split(people, "a", "ab"))).toEqual(["ah", "b"]);
    expect(split(join(alone("ah"), "ah"), "a", "a")).toEqual(join(alone("ah"), "ah"));
  });

  test("leaves those who are one with them only by somebody whom the actor can't know", () =>
    expect(listGroups(split(join(alone("abh"), "ah", "bh"), "a", "ab"))).toEqual(["a", "bh"]));

  test("and was never joined changes nothing", () =>
    expect(split(join(alone("abc"), "bc"), "a")).toEqual(join(alone("abc"), "bc")));
});

test("a circle of lines, which nothing draws, ends", () =>
  expect(
    computeGroups([
      { id: "a", joinedToId: "b" },
      { id: "b", joinedToId: "a" },
    ]).size,
  ).toBe(2));
