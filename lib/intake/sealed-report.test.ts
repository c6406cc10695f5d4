import { describe, expect, it } from "vitest";
import { MAX_INCIDENT_DESCRIPTION_LENGTH, MAX_LOCATION_LENGTH } from "#lib/incidents/schema.ts";
import { NewIntakeInput } from "#lib/intake/schema.ts";
import { parseSealedDraft } from "./sealed-report.ts";

/** What a device sealed that no form would let through: its reporter may hold the words already (contract 14.4). */

const REPORT = {
  title: "Followed from the bar to the tram",
  description: "He walked behind me and would not stop talking.",
  channel: "phone",
};
const parse = (report: object, more: object = {}) =>
  parseSealedDraft(
    {
      draft: "abcdefghijklmnopqrstuv",
      takenAt: "2026-03-01T20:15:00.000Z",
      confirmed: true,
      report: { ...REPORT, ...report },
      ...more,
    },
    "en",
  );

describe("parseSealedDraft", () => {
  it("leaves a report that the service takes as it is", () => {
    const report = {
      ...REPORT,
      type: "harassment",
      location: " Bar ",
      severity: "high",
      incidentAt: "2026-03-01T19:00:00Z",
      witnessId: "0198f1de-0000-7000-8000-000000000001",
      observations: "Shaking.",
      firstResponses: [{ kind: "quiet_place", at: "2026-03-01T20:00:00Z" }],
    };
    expect(parse(report)?.report).toEqual(NewIntakeInput.parse(report));
  });

  it.each([
    ["a title that is too short", { title: "Theft" }, { title: "Theft, 1 Mar" }],
    ["no title", { title: undefined }, { title: "Report of 1 Mar" }],
    ["a time in the year 26", { incidentAt: "0026-03-01T19:00:00.000Z" }, { incidentAt: null }],
    ["a time that is none", { incidentAt: "yesterday" }, { incidentAt: null }],
    ["a NUL and half an emoji", { location: "Bar\0 \ud83d" }, { location: "Bar \ufffd" }],
    [
      "a place that is too long",
      { location: "x".repeat(501) },
      { location: "x".repeat(MAX_LOCATION_LENGTH) },
    ],
    ["an unknown severity", { severity: "worst" }, { severity: null }],
    ["an unknown channel", { channel: "pigeon" }, { channel: "in_person" }],
    ["no usable witness", { witnessId: "nobody" }, { witnessId: null }],
    ["a description in which nothing can be read", { description: "\u200b" }, { description: REPORT.title }],
  ])("repairs %s", (_, report, repaired) => {
    expect(parse(report)?.report).toMatchObject(repaired);
  });

  it("cuts nothing of the description", () => {
    const description = "x".repeat(MAX_INCIDENT_DESCRIPTION_LENGTH + 1);
    expect(parse({ description })?.report.description).toBe(description);
  });

  it("leaves out an unknown step, and a time of a step that can't be", () => {
    const firstResponses = [
      { kind: "hug", at: null },
      { kind: "quiet_place", at: "0026-01-01T00:00:00Z" },
      7,
    ];
    expect(parse({ firstResponses })?.report.firstResponses).toEqual([{ kind: "quiet_place", at: null }]);
  });

  it("takes a draft of a device whose clock is wrong by centuries", () => {
    expect(parse({}, { takenAt: "2345-01-01T00:00:00.000Z" })).toMatchObject({ takenAt: null });
  });

  it("refuses what is no report, and one that is hidden from somebody who can't be read", () => {
    expect(parse({ description: undefined })).toBeNull();
    expect(parse({}, { draft: "short" })).toBeNull();
    expect(parse({ excludedUserIds: ["nobody"] })).toBeNull();
  });
});
