import { describe, expect, it } from "vitest";
import { toIntakeInput } from "./intake-form-values.ts";

const options = {
  zone: "Europe/Lisbon",
  now: new Date("2026-07-01T21:30:00Z"),
  neutralTitle: "Report of 1 Jul",
};
const convert = (values: Record<string, string>) =>
  toIntakeInput({ description: "Hit.", ...values }, options);

describe("the form that takes a report", () => {
  it("has the neutral title only where none was entered, and no word of the description in it", () => {
    expect(convert({ title: " " }).title).toBe("Report of 1 Jul");
    expect(convert({ title: "Hit at the bar" }).title).toBe("Hit at the bar");
  });

  it("reads a time of day as the latest one that has passed in the zone", () => {
    const { firstResponses } = convert({
      "done.water": "on",
      "at.water": "22:20",
      "done.escort": "on",
      "at.escort": "23:50",
      "done.medical": "on",
      "at.medical": "",
      "at.quiet_place": "22:00",
    });
    expect(firstResponses).toEqual([
      { kind: "water", at: "2026-07-01T21:20:00.000Z" },
      { kind: "escort", at: "2026-06-30T22:50:00.000Z" },
      { kind: "medical", at: null },
    ]);
  });

  it.each([
    ["before midnight, on a day of 25 hours", "2026-10-25T22:30:00Z", "23:50", "2026-10-24T21:50:00.000Z"],
    ["in an hour that has come twice", "2026-10-25T02:10:00Z", "02:30", "2026-10-25T01:30:00.000Z"],
    ["in an hour that comes again", "2026-10-25T00:40:00Z", "02:30", "2026-10-25T00:30:00.000Z"],
    ["in an hour that is skipped", "2026-03-29T02:00:00Z", "02:30", "2026-03-29T01:30:00.000Z"],
    [
      "after midnight, on the day after one of 23 hours",
      "2026-03-29T22:10:00Z",
      "23:50",
      "2026-03-29T21:50:00.000Z",
    ],
  ])("reads a time of day where clocks change: %s", (_, now, time, at) => {
    const values = { "done.water": "on", "at.water": time };
    const { firstResponses } = toIntakeInput(values, {
      ...options,
      zone: "Europe/Berlin",
      now: new Date(now),
    });
    expect(firstResponses).toEqual([{ kind: "water", at }]);
  });

  it("takes one answer to whether the person wants the police, with its time", () => {
    const given = { police: "police_declined", "at.police": "22:20", "done.police_wanted": "on" };
    expect(convert(given).firstResponses).toEqual([
      { kind: "police_declined", at: "2026-07-01T21:20:00.000Z" },
    ]);
    expect(convert({ police: "" }).firstResponses).toEqual([]);
  });

  it("passes on who must not see the report, and names nobody where the form doesn't ask", () => {
    expect(convert({ excludedUserIds: "a\nb" }).excludedUserIds).toBe("a\nb");
    expect(convert({})).not.toHaveProperty("excludedUserIds");
  });

  it("passes on a date that doesn't exist, to be refused", () => {
    expect(convert({ incidentAt: "2026-02-30T10:00" }).incidentAt).toBe("2026-02-30T10:00");
    expect(convert({ incidentAt: "2026-06-30T10:00" }).incidentAt).toBe("2026-06-30T09:00:00.000Z");
  });
});
