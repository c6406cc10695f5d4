import { expect, test } from "vitest";
import { listPeopleNamedInText } from "./named-people.ts";

const TEAM = [
  "Omar Reed",
  "Ada Lóránt",
  "Ada Marsh",
  "Bo Li",
  "山田太郎",
  "Müller",
  "Łukasz Żółć",
  "Sinéad O’Brien",
];

const find = (text: string) => listPeopleNamedInText(text, TEAM, (name) => name);

test("finds a whole name, whatever its case and accents", () => {
  expect(find("I think it was omar REED.")).toEqual(["Omar Reed"]);
  expect(find("Ada Lorant and Bo Li were there")).toEqual(["Ada Lóránt", "Bo Li"]);
  expect(find("MULLER")).toEqual(["Müller"]);
});

test.each([
  ["Lukasz Zolc and Mueller", ["Müller", "Łukasz Żółć"]],
  ["it was o'brien", ["Sinéad O’Brien"]],
  ["it was OBrien", ["Sinéad O’Brien"]],
  ["Omar\u200b\u00a0Reed", ["Omar Reed"]],
])("finds a name that %j spells differently", (text, names) => {
  expect(find(text)).toEqual(names);
});

test("finds a part of a name that only one person has", () => {
  expect(find("Omar, by the bar")).toEqual(["Omar Reed"]);
  expect(find("somebody called Ada")).toEqual([]);
  expect(find("Marsh's friend")).toEqual(["Ada Marsh"]);
});

test("finds a name in a script without spaces", () => {
  expect(find("山田太郎さん")).toEqual(["山田太郎"]);
});

test("finds nobody in other words, short ones and no text", () => {
  expect(find("The reeds by the river; bo and li")).toEqual([]);
  expect(find("")).toEqual([]);
  expect(listPeopleNamedInText("- -", ["…"], (name) => name)).toEqual([]);
});
