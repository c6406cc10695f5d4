import { expect, test } from "vitest";
import { createTranslator } from "#components/words/words.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import { describeHiddenData } from "./file-words.ts";

test.each([
  [
    "image/jpeg",
    "cleaned",
    ["place", "time"],
    "This photo said where and when it was taken. The team’s copy doesn’t.",
  ],
  [
    "image/jpeg",
    "cleaned",
    ["time", "device", "place", "author"],
    "This photo said where, when, with what and by whom it was taken. The team’s copy doesn’t.",
  ],
  ["application/pdf", "cleaned", ["author"], "This file said who made it. The team’s copy doesn’t."],
  ["video/mp4", "not_cleanable", ["time"], "This file says when it was made, and it can’t be taken out."],
  ["image/png", "cleaned", [], "Hidden data was taken out of the team’s copy."],
  [
    "video/mp4",
    "not_cleanable",
    [],
    "Hidden data in this kind of file can’t be taken out, such as who made it and when.",
  ],
  [
    "application/pdf",
    "not_inspected",
    ["place", "device", "time", "author"],
    "We couldn’t check this file for hidden data. It may show who made it, when, where and with which device.",
  ],
  ["text/plain", "clean", [], null],
] as const)("%s, %s, with %j", (mimetype, clean, reveals, words) => {
  const english = {
    t: createTranslator<"ownReport">("en", getMessages("en", "ownReport")),
    locale: "en",
  } as const;
  expect(describeHiddenData({ mimetype, clean, reveals: [...reveals] }, english)).toBe(words);
});
