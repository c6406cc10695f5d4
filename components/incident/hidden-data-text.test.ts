import { expect, test } from "vitest";
import { createTranslator } from "#components/i18n/translator.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import { describeHiddenData } from "./hidden-data-text.ts";

test.each([
  [
    "image/jpeg",
    "cleaned",
    ["place", "time"],
    "This photo contained hidden data showing where and when it was taken. We removed it from the team’s copy.",
  ],
  [
    "image/jpeg",
    "cleaned",
    ["time", "device", "place", "author"],
    "This photo contained hidden data showing where, when, with which device and by whom it was taken. We removed it from the team’s copy.",
  ],
  [
    "application/pdf",
    "cleaned",
    ["author"],
    "This file contained hidden data showing who made it. We removed it from the team’s copy.",
  ],
  [
    "video/mp4",
    "not_cleanable",
    ["time"],
    "This file contains hidden data showing when it was made. We can’t remove it.",
  ],
  ["image/png", "cleaned", [], "We removed hidden data from the team’s copy."],
  [
    "video/mp4",
    "not_cleanable",
    [],
    "We can’t remove hidden data from this kind of file. It may show who made it and when.",
  ],
  [
    "application/pdf",
    "not_inspected",
    ["place", "device", "time", "author"],
    "We couldn’t check this file for hidden data. It may show who made it, when, where and with which device.",
  ],
  ["text/plain", "clean", [], null],
] as const)("%s, %s, with %j", (mimetype, clean, reveals, expected) => {
  const english = {
    t: createTranslator<"ownReport">("en", getMessages("en", "ownReport")),
    locale: "en",
  } as const;
  expect(describeHiddenData({ mimetype, clean, reveals: [...reveals], lost: [] }, english)).toBe(expected);
});

test("says what the copy lacks", () => {
  const english = {
    t: createTranslator<"ownReport">("en", getMessages("en", "ownReport")),
    locale: "en",
  } as const;
  const file = {
    mimetype: "image/jpeg",
    clean: "cleaned",
    reveals: [],
    lost: ["video", "pictures"],
  } as const;
  expect(describeHiddenData({ ...file, reveals: [], lost: [...file.lost] }, english)).toBe(
    "We removed hidden data from the team’s copy. The photo came with a short video; the team’s copy has only the photo. The file has several pictures; the team’s copy has only the main one.",
  );
});
