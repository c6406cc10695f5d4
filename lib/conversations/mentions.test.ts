import { describe, expect, it } from "vitest";
import { findMentionedMemberIds } from "./mentions.ts";

const team = [
  { id: "ana", name: "Ana" },
  { id: "ana-lima", name: "Ana Lima" },
  { id: "omar", name: "Omar Haddad" },
  { id: "omar-2", name: "omar haddad" },
  { id: "zoe", name: "Zoë Öztürk" },
  { id: "obrien", name: "O’Brien" },
  { id: "luc", name: "Jean-Luc Łoś" },
];

const cases: [text: string, who: string[]][] = [
  ["@Ana please look", ["ana"]],
  ["please look, @ana lima.", ["ana-lima"]],
  ["@Ana Limachi is somebody else", ["ana"]],
  ["@Anabel is somebody else", []],
  ["@Ana2 and @Ana_ are, too", []],
  ["(@Omar Haddad)", ["omar", "omar-2"]],
  ["@ZOË ÖZTÜRK", ["zoe"]],
  ["@Zoe\u0308 O\u0308ztu\u0308rk, typed in parts", ["zoe"]],
  ["@Zoe Oeztuerk", ["zoe"]],
  ["@O'Brien, @OBrien’s and @O’Brien", ["obrien"]],
  ["@jean luc\u00a0los and @Jean\u2011Luc Łoś\u200b", ["luc"]],
  ["\uff20Ana", ["ana"]],
  ["write to somebody@ana.example", []],
  ["@ Ana, Ana, @@Ana", ["ana"]],
  ["@Ana @Ana @Ana Lima", ["ana", "ana-lima"]],
  ["@Ana😀", ["ana"]],
  ["nobody", []],
];

describe("findMentionedMemberIds", () => {
  it.each(cases)("finds the people mentioned in %j", (text, who) => {
    expect(findMentionedMemberIds(text, team).toSorted()).toEqual(who);
  });

  it("handles a text of @ signs only", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ id: String(index), name: `Person ${index}` }));
    expect(findMentionedMemberIds("@".repeat(10_000), many)).toEqual([]);
  });
});
