import { describe, expect, it } from "vitest";
import { PUBLISHABLE_EVENT_KINDS } from "#lib/jobs/outbox-events.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { canSeeLiveChange, canSeePresence, toLiveChange } from "./visibility.ts";

const actor = (id: string, roles: Actor["events"][number]["roles"], extra: Partial<Actor> = {}): Actor => ({
  id,
  email: "",
  name: "",
  avatarUrl: null,
  sessionId: "s",
  systemAdmin: false,
  organizations: [],
  events: roles.length > 0 ? [{ eventId: "e", slug: "e", organizationId: "o", roles }] : [],
  ...extra,
});

const PEOPLE = {
  reporter: actor("r", ["Reporter"]),
  formerReporter: actor("r", []),
  other: actor("x", ["Reporter"]),
  responder: actor("t", ["Responder"]),
  admin: actor("a", ["Admin"]),
  elsewhere: actor("y", [], { events: [{ eventId: "f", slug: "f", organizationId: "o", roles: ["Admin"] }] }),
  orgAdmin: actor("o", [], { organizations: [{ organizationId: "o", slug: "o", role: "org_admin" }] }),
  orgViewer: actor("v", [], { organizations: [{ organizationId: "o", slug: "o", role: "org_viewer" }] }),
  system: actor("s", [], { systemAdmin: true }),
};

const viewer = (person: Actor, hiddenIncidentIds: string[] = []) => ({ person, hiddenIncidentIds });

type Kind = Parameters<typeof canSeeLiveChange>[1]["kind"];
const listViewers = (kind: Kind, where: { eventId?: string | null; incidentId?: string | null } = {}) => {
  const change = { kind, organizationId: "o", eventId: "e", incidentId: "i", reporterId: "r", ...where };
  return Object.entries(PEOPLE).flatMap(([name, person]) =>
    canSeeLiveChange(viewer(person), change) ? [name] : [],
  );
};

it.each([
  "incident.created",
  "incident.state",
  "incident.assigned",
  "incident.changed",
  "message.created",
  "incident.urgent",
  "message.afterClosing",
] as const)("%s is seen by the team and by the reporter, while the role is held", (kind) => {
  expect(listViewers(kind)).toEqual(["reporter", "responder", "admin", "system"]);
});

it.each([
  "note.created",
  "file.added",
  "incident.escalated",
  "incident.critical",
  "incident.changedInside",
  "message.fromParty",
] as const)("%s is the team's", (kind) => {
  expect(listViewers(kind)).toEqual(["responder", "admin", "system"]);
});

it.each(["role.changed", "invite.changed"] as const)("%s is seen by the admins of the place", (kind) => {
  expect(listViewers(kind, { incidentId: null })).toEqual(["admin", "system"]);
  expect(listViewers(kind, { incidentId: null, eventId: null })).toEqual(["orgAdmin", "system"]);
});

it("only the team hears that a new report is urgent", () => {
  const change = {
    kind: "incident.urgent",
    organizationId: "o",
    eventId: "e",
    incidentId: "i",
    reporterId: "r",
  } as const;
  const listHearers = (kind: Kind) =>
    Object.entries(PEOPLE).flatMap(([name, person]) =>
      toLiveChange(person, { ...change, kind }).urgent === true ? [name] : [],
    );
  expect(listHearers("incident.urgent")).toEqual(["responder", "admin", "system"]);
  expect(listHearers("incident.created")).toEqual([]);
  expect(toLiveChange(PEOPLE.reporter, change)).toEqual({
    type: "change",
    eventId: "e",
    incidentId: "i",
    kind: "incident.created",
  });
});

describe("an outside person", () => {
  const place = { eventId: "e", slug: "e", organizationId: "o", timeZone: null };
  const outsideIncident = { ...place, incidentId: "i" };
  const outsidePerson = actor("c", [], { outsideIncidents: [outsideIncident] });
  const listKinds = (person: Actor) =>
    PUBLISHABLE_EVENT_KINDS.filter((kind) =>
      canSeeLiveChange(viewer(person), {
        kind,
        organizationId: "o",
        eventId: "e",
        incidentId: "i",
        reporterId: "r",
      }),
    );
  const presence = { eventId: "e", incidentId: "i", personId: "t", doing: "reading" as const };

  it("learns of every change and of who is at it", () => {
    expect(listKinds(outsidePerson)).toEqual(PUBLISHABLE_EVENT_KINDS);
    expect(canSeePresence(viewer(outsidePerson), presence)).toBe(true);
    expect(canSeePresence(viewer(outsidePerson, ["i"]), presence)).toBe(false);
    const change = {
      kind: "incident.state",
      organizationId: "o",
      eventId: "e",
      incidentId: "i",
      reporterId: "r",
    } as const;
    expect(canSeeLiveChange(viewer(outsidePerson, ["i"]), change)).toBe(false);
  });
});
