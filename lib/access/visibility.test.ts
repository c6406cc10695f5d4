import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import {
  buildActorAsOutsidePerson,
  can,
  hasTeamAccessToEvent,
  type EventRole,
} from "#lib/operation/policy.ts";
import {
  getVisibleIncidentFilter,
  isNoIncidentVisible,
  listOutsideIncidentIds,
} from "#lib/access/visibility.ts";
import {
  createTestActor as person,
  createTestEventMember as inEvent,
  TEST_ACTOR_WITHOUT_ROLES as nora,
  TEST_SYSTEM_ADMIN as sam,
  TEST_INCIDENT_REPORTED_BY_ACTOR as own,
  TEST_INCIDENT_OF_ANOTHER_PERSON as foreign,
  TEST_ORGANIZATION_ID,
  TEST_EVENT_ID,
  OTHER_TEST_EVENT_ID,
} from "#lib/operation/test-actors.ts";

describe("which incidents lists show", () => {
  const roles: EventRole[][] = [[], ["Reporter"], ["Responder"], ["Admin"], ["Reporter", "Responder"]];

  it.each(roles.map((held) => [held.join("+") || "no role", held] as const))(
    "agrees with can() for %s",
    (_, held) => {
      const actor = held.length > 0 ? inEvent(...held) : nora;
      for (const subject of [own, foreign, { ...own, reporterId: null }]) {
        const visible = getVisibleIncidentFilter(actor);
        const listed =
          visible.everything ||
          visible.all.includes(subject.eventId) ||
          (visible.own.includes(subject.eventId) && subject.reporterId === actor.id);
        expect(listed).toBe(can(actor, "incident.view", subject));
      }
    },
  );

  it("shows SystemAdmin everything, narrowed to the event that is asked for", () => {
    expect(getVisibleIncidentFilter(sam)).toEqual({ everything: true });
    expect(getVisibleIncidentFilter(sam, TEST_EVENT_ID)).toEqual({
      everything: false,
      all: [TEST_EVENT_ID],
      own: [],
    });
  });
});

describe("visible incidents", () => {
  const reporterAndTeam = person({
    events: [
      { eventId: TEST_EVENT_ID, slug: "conf", organizationId: TEST_ORGANIZATION_ID, roles: ["Reporter"] },
      {
        eventId: OTHER_TEST_EVENT_ID,
        slug: "other",
        organizationId: TEST_ORGANIZATION_ID,
        roles: ["Responder", "Reporter"],
      },
    ],
  });

  it("are all of the team's events, and one's own in others", () => {
    const expected = { everything: false, all: [OTHER_TEST_EVENT_ID], own: [TEST_EVENT_ID] };
    expect(getVisibleIncidentFilter(reporterAndTeam)).toEqual(expected);
    expect(getVisibleIncidentFilter(reporterAndTeam, TEST_EVENT_ID)).toEqual({ ...expected, all: [] });
    expect(getVisibleIncidentFilter(reporterAndTeam, OTHER_TEST_EVENT_ID)).toEqual({ ...expected, own: [] });
  });

  it("are computed once for the same roles, and can't be changed", () => {
    const actor = { ...reporterAndTeam, events: [...reporterAndTeam.events] };
    const first = getVisibleIncidentFilter(actor);
    expect(getVisibleIncidentFilter({ ...actor })).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    assert(!first.everything);
    expect([first.all, first.own].map((ids) => Object.isFrozen(ids))).toEqual([true, true]);
    expect(Object.isFrozen(getVisibleIncidentFilter(sam))).toBe(true);
  });

  it("are none where no role counts", () => {
    expect(getVisibleIncidentFilter(inEvent())).toEqual({ everything: false, all: [], own: [] });
  });

  it("of a SystemAdmin or a token are not those of a person with the same roles", () => {
    const { events } = reporterAndTeam;
    getVisibleIncidentFilter(reporterAndTeam);
    expect(getVisibleIncidentFilter(person({ systemAdmin: true, events }))).toEqual({
      everything: true,
    });
    const token = { scope: "read", eventId: TEST_EVENT_ID, organizationId: null, system: true } as const;
    expect(getVisibleIncidentFilter(person({ token, events }))).toEqual({
      everything: false,
      all: [TEST_EVENT_ID, OTHER_TEST_EVENT_ID],
      own: [],
    });
  });

  it("of a SystemAdmin with a role in one event name that event once", () => {
    const closed = { organizations: new Set<string>(), openEvents: new Set([TEST_EVENT_ID]) };
    const system = { ...inEvent("Admin"), systemAdmin: true, closed };
    expect(getVisibleIncidentFilter(system)).toEqual({
      everything: false,
      all: [TEST_EVENT_ID],
      own: [],
    });
  });

  it("are none for an outside person, even while they act on such an incident", () => {
    const outsideIncident = {
      incidentId: "88888888-8888-4888-8888-888888888888",
      eventId: TEST_EVENT_ID,
      slug: "conf",
      organizationId: TEST_ORGANIZATION_ID,
      timeZone: null,
    };
    const acting = buildActorAsOutsidePerson(
      person({ outsideIncidents: [outsideIncident] }),
      outsideIncident,
    );
    expect(hasTeamAccessToEvent(acting, TEST_EVENT_ID)).toBe(true);
    const none = { everything: false, all: [], own: [] };
    expect(getVisibleIncidentFilter(acting)).toEqual(none);
    expect(getVisibleIncidentFilter(acting, TEST_EVENT_ID)).toEqual(none);
  });

  it("are certainly none only if neither everything nor any event is visible", () => {
    const none = { everything: false as const, all: [], own: [] };
    expect(isNoIncidentVisible(none)).toBe(true);
    expect(isNoIncidentVisible({ ...none, all: [TEST_EVENT_ID] })).toBe(false);
    expect(isNoIncidentVisible({ ...none, own: [TEST_EVENT_ID] })).toBe(false);
    expect(isNoIncidentVisible({ everything: true })).toBe(false);
  });
});

describe("incidents of an outside person", () => {
  const place = {
    eventId: TEST_EVENT_ID,
    slug: "conf",
    organizationId: TEST_ORGANIZATION_ID,
    timeZone: null,
  };
  it("are those that are stored for the actor", () => {
    const outsideIncidents = [{ ...place, incidentId: "read" }];
    expect(listOutsideIncidentIds({ ...nora, outsideIncidents })).toEqual(["read"]);
    expect(listOutsideIncidentIds(nora)).toEqual([]);
  });
});
