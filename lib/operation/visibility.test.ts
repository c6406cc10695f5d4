import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { can, type EventRole } from "#lib/operation/policy.ts";
import { getIncidentVisibility } from "#lib/operation/visibility.ts";
import {
  createActor as person,
  createEventMember as inEvent,
  NORA as nora,
  SAM as sam,
  OWN_INCIDENT as own,
  FOREIGN_INCIDENT as foreign,
  ORG,
  EVENT,
  OTHER_EVENT,
} from "#lib/operation/test-actors.ts";

describe("which incidents lists show", () => {
  const roles: EventRole[][] = [[], ["Reporter"], ["Responder"], ["Admin"], ["Reporter", "Responder"]];

  it.each(roles.map((held) => [held.join("+") || "no role", held] as const))(
    "agrees with can() for %s",
    (_, held) => {
      const actor = held.length > 0 ? inEvent(...held) : nora;
      for (const subject of [own, foreign, { ...own, reporterId: null }]) {
        const visible = getIncidentVisibility(actor);
        const listed =
          visible.everything ||
          visible.all.includes(subject.eventId) ||
          (visible.own.includes(subject.eventId) && subject.reporterId === actor.id);
        expect(listed).toBe(can(actor, "incident.view", subject));
      }
    },
  );

  it("shows SystemAdmin everything, narrowed to the event that is asked for", () => {
    expect(getIncidentVisibility(sam)).toEqual({ everything: true, hidden: [] });
    expect(getIncidentVisibility(sam, EVENT)).toEqual({
      everything: false,
      all: [EVENT],
      own: [],
      hidden: [],
    });
  });
});

describe("visible incidents", () => {
  const reporterAndTeam = person({
    events: [
      { eventId: EVENT, slug: "conf", organizationId: ORG, roles: ["Reporter"] },
      { eventId: OTHER_EVENT, slug: "other", organizationId: ORG, roles: ["Responder", "Reporter"] },
    ],
  });

  it("are all of the team's events, and one's own in others", () => {
    const expected = { everything: false, all: [OTHER_EVENT], own: [EVENT], hidden: [] };
    expect(getIncidentVisibility(reporterAndTeam)).toEqual(expected);
    expect(getIncidentVisibility(reporterAndTeam, EVENT)).toEqual({ ...expected, all: [] });
    expect(getIncidentVisibility(reporterAndTeam, OTHER_EVENT)).toEqual({ ...expected, own: [] });
  });

  it("are computed once for the same roles, and can't be changed", () => {
    const actor = { ...reporterAndTeam, events: [...reporterAndTeam.events] };
    const first = getIncidentVisibility(actor);
    expect(getIncidentVisibility({ ...actor })).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    assert(!first.everything);
    expect([Object.isFrozen(first.all), Object.isFrozen(first.own)]).toEqual([true, true]);
    expect(Object.isFrozen(getIncidentVisibility(sam))).toBe(true);
  });

  it("are none where no role counts", () => {
    expect(getIncidentVisibility(inEvent())).toEqual({ everything: false, all: [], own: [], hidden: [] });
  });

  it("of a SystemAdmin or a token are not those of a person with the same roles", () => {
    const { events } = reporterAndTeam;
    getIncidentVisibility(reporterAndTeam);
    expect(getIncidentVisibility(person({ systemAdmin: true, events }))).toEqual({
      everything: true,
      hidden: [],
    });
    const token = { scope: "read", eventId: EVENT, organizationId: null, system: true } as const;
    expect(getIncidentVisibility(person({ token, events }))).toEqual({
      everything: false,
      all: [EVENT, OTHER_EVENT],
      own: [],
      hidden: [],
    });
  });

  it("of a SystemAdmin with a role in one event name that event once", () => {
    const closed = { organizations: new Set<string>(), openEvents: new Set([EVENT]) };
    const system = { ...inEvent("Admin"), systemAdmin: true, closed };
    expect(getIncidentVisibility(system)).toEqual({ everything: false, all: [EVENT], own: [], hidden: [] });
  });

  it("leave out those that are hidden from the actor, whoever asked first", () => {
    const hidden = ["88888888-8888-4888-8888-888888888888"];
    expect(getIncidentVisibility(reporterAndTeam).hidden).toEqual([]);
    const excluded = { ...reporterAndTeam, hiddenIncidentIds: hidden };
    expect([getIncidentVisibility(excluded), getIncidentVisibility(excluded, EVENT)]).toMatchObject([
      { hidden },
      { hidden },
    ]);
    expect(getIncidentVisibility(reporterAndTeam).hidden).toEqual([]);
  });
});
