import { describe, expect, it } from "vitest";
import {
  hasAccessTo,
  can,
  isTeamMember,
  isWithheld,
  hasSystemAccessEverywhere,
  hasSystemAccessTo,
  POLICY,
  createDenialError,
  findRight,
  isWithinTokenScope,
  type Actor,
  type EventRole,
  type Permission,
} from "#lib/operation/policy.ts";
import { findIncidentVisibility } from "#lib/operation/visibility.ts";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const EVENT = "33333333-3333-4333-8333-333333333333";
const OTHER_EVENT = "44444444-4444-4444-8444-444444444444";

const person = (given: Partial<Actor> = {}): Actor => ({
  id: "55555555-5555-4555-8555-555555555555",
  email: "maya@example.org",
  name: "Maya",
  avatarUrl: null,
  sessionId: "66666666-6666-4666-8666-666666666666",
  systemAdmin: false,
  organizations: [],
  events: [],
  ...given,
});

const inEvent = (...roles: EventRole[]) =>
  person({ events: [{ eventId: EVENT, slug: "conf", organizationId: ORG, roles }] });
const inOrganization = (role: "org_admin" | "org_viewer") =>
  person({ organizations: [{ organizationId: ORG, slug: "org", role }] });

const nora = person();
const sam = person({ systemAdmin: true });
const own = { organizationId: ORG, eventId: EVENT, reporterId: nora.id };
const foreign = { ...own, reporterId: "77777777-7777-4777-8777-777777777777" };

describe("the policy table", () => {
  it("lets SystemAdmin do everything, and says so when it holds no role there", () => {
    for (const permission of Object.keys(POLICY) as Permission[])
      expect(can(sam, permission, own)).toBe(true);
    expect(findRight(sam, "incident.view", own)).toBe("SystemAdmin");
  });

  it("gives people without roles only what is public or their own", () => {
    const allowed = (Object.keys(POLICY) as Permission[]).filter((permission) =>
      can(nora, permission, foreign),
    );
    const open = (Object.keys(POLICY) as Permission[]).filter(
      (name) => "public" in POLICY[name] || "signedIn" in POLICY[name],
    );
    expect(allowed).toEqual(open);
  });

  it("opens no incident to organization roles", () => {
    const incident = (Object.keys(POLICY) as Permission[]).filter(
      (name) => name.startsWith("incident.") && !("signedIn" in POLICY[name]),
    );
    for (const role of ["org_admin", "org_viewer"] as const) {
      for (const permission of incident) expect(can(inOrganization(role), permission, own)).toBe(false);
    }
  });

  it("lets a Reporter see own reports only, and only while the role is held", () => {
    expect(can(inEvent("Reporter"), "incident.view", own)).toBe(true);
    expect(can(inEvent("Reporter"), "incident.view", foreign)).toBe(false);
    expect(can(nora, "incident.view", own)).toBe(false);
    expect(can(inEvent("Reporter"), "incident.view", { ...own, reporterId: null })).toBe(false);
  });

  it("lets a Responder retitle by id their own report only, and by slug every report", () => {
    expect(can(inEvent("Responder"), "incident.retitleById", foreign)).toBe(false);
    expect(findRight(inEvent("Responder"), "incident.retitleById", own)).toBe("event:Responder(own)");
    expect(can(nora, "incident.retitleById", own)).toBe(false);
    expect(can(inEvent("Responder"), "incident.retitleBySlug", foreign)).toBe(true);
  });

  it("lets the strongest of several roles decide", () => {
    expect(findRight(inEvent("Reporter", "Admin", "Responder"), "incident.view", foreign)).toBe(
      "event:Admin",
    );
  });

  it("grants nothing in another event or organization", () => {
    const elsewhere = { organizationId: OTHER_ORG, eventId: OTHER_EVENT, reporterId: nora.id };
    for (const actor of [inEvent("Admin"), inOrganization("org_admin")]) {
      for (const permission of Object.keys(POLICY) as Permission[]) {
        const open = "public" in POLICY[permission] || "signedIn" in POLICY[permission];
        expect(can(actor, permission, elsewhere)).toBe(open);
      }
    }
  });
});

describe("roles that wait for a second factor", () => {
  const withheld = {
    organizations: [
      { organizationId: ORG, slug: "org", role: "org_admin" as const, reason: "secondFactor" as const },
    ],
    events: [
      {
        eventId: EVENT,
        slug: "conf",
        organizationId: ORG,
        roles: ["Responder" as const],
        reason: "secondFactor" as const,
      },
    ],
  };
  const waiting = person({ withheld });

  it("count nowhere", () => {
    for (const permission of Object.keys(POLICY) as Permission[])
      expect(can(waiting, permission, foreign)).toBe(can(nora, permission, foreign));
    expect(hasAccessTo(waiting, { eventId: EVENT })).toBe(false);
    expect(findIncidentVisibility(waiting)).toEqual({ everything: false, all: [], own: [] });
  });

  it("are the reason that is given where they are held, and nowhere else", () => {
    expect(createDenialError(waiting, foreign).code).toBe("SECOND_FACTOR_REQUIRED");
    expect(createDenialError(waiting, { organizationId: ORG }).code).toBe("SECOND_FACTOR_REQUIRED");
    expect(createDenialError(waiting, { eventId: OTHER_EVENT, organizationId: OTHER_ORG }).code).toBe(
      "FORBIDDEN",
    );
    expect(createDenialError(nora, foreign).code).toBe("FORBIDDEN");
    expect(isWithheld(waiting, {})).toBe(false);
  });
});

describe("an unverified address", () => {
  const unverified = person({
    unverified: true,
    withheld: { system: "unverified", organizations: [], events: [] },
  });

  it("sets up no second factor and makes no token", () => {
    for (const permission of ["account.setUpFactor", "account.createToken"] as const) {
      expect(can(unverified, permission)).toBe(false);
      expect(can(nora, permission)).toBe(true);
      expect(createDenialError(unverified, {}, permission).code).toBe("EMAIL_UNVERIFIED");
    }
    expect(can(unverified, "account.secure")).toBe(true);
  });

  it("leaves a SystemAdmin what everybody may, and says why", () => {
    for (const permission of Object.keys(POLICY) as Permission[]) {
      if (!("verified" in POLICY[permission]))
        expect(can(unverified, permission, foreign)).toBe(can(nora, permission, foreign));
      if (!can(unverified, permission, foreign))
        expect(createDenialError(unverified, foreign, permission).code).toBe("EMAIL_UNVERIFIED");
    }
  });
});

describe("a SystemAdmin without the second factor that an organization requires", () => {
  const system = person({ systemAdmin: true });
  const open = { organizationId: OTHER_ORG, eventId: OTHER_EVENT };
  const closed = { organizations: new Set([ORG]), openEvents: new Set([OTHER_EVENT]) };
  const shut = person({ systemAdmin: true, closed });
  const unnamed = (permission: Permission) =>
    "public" in POLICY[permission] || "signedIn" in POLICY[permission];

  it("passes nowhere in it, by no row and no lack of an id", () => {
    for (const permission of Object.keys(POLICY) as Permission[]) {
      for (const place of [foreign, { organizationId: ORG }, { eventId: EVENT }]) {
        expect(can(shut, permission, place)).toBe(unnamed(permission));
        expect(createDenialError(shut, place, permission).code).toBe("SECOND_FACTOR_REQUIRED");
      }
    }
    for (const place of [{ organizationId: ORG }, { eventId: EVENT }])
      expect(hasAccessTo(shut, place)).toBe(false);
    expect([
      hasSystemAccessTo(shut, EVENT),
      isTeamMember(shut, EVENT),
      hasSystemAccessEverywhere(shut),
    ]).toEqual([false, false, false]);
    expect(findIncidentVisibility(shut)).toEqual({ everything: false, all: [OTHER_EVENT], own: [] });
    expect(findIncidentVisibility(shut, EVENT)).toEqual({ everything: false, all: [], own: [] });
  });

  it("passes elsewhere, and in what belongs to no organization", () => {
    for (const permission of Object.keys(POLICY) as Permission[])
      for (const place of [open, {}])
        expect(can(shut, permission, place)).toBe(can(system, permission, place));
    expect(hasAccessTo(shut, open)).toBe(true);
    expect(findIncidentVisibility(shut, OTHER_EVENT)).toEqual({
      everything: false,
      all: [OTHER_EVENT],
      own: [],
    });
  });

  it("keeps own reports there, as a Reporter", () => {
    const reporter = {
      ...shut,
      events: [{ eventId: EVENT, slug: "conf", organizationId: ORG, roles: ["Reporter" as const] }],
    };
    expect(can(reporter, "incident.view", { ...foreign, reporterId: reporter.id })).toBe(true);
    expect(can(reporter, "incident.view", foreign)).toBe(false);
    expect(findIncidentVisibility(reporter)).toEqual({ everything: false, all: [OTHER_EVENT], own: [EVENT] });
  });
});

describe("tokens", () => {
  const permissions = Object.keys(POLICY) as Permission[];
  const withToken = (eventId: string | null) => person({ token: { scope: "write", eventId } });
  const reached = (eventId: string | null) =>
    permissions.filter((permission) => isWithinTokenScope(withToken(eventId), permission));

  it("reach everything but what decides who gets into the account", () => {
    expect(permissions.filter((permission) => !reached(null).includes(permission))).toEqual([
      "account.secure",
      "account.setUpFactor",
      "account.createToken",
      "admin.resetSecondFactor",
    ]);
    for (const permission of permissions) expect(isWithinTokenScope(person(), permission)).toBe(true);
  });

  it("for one event reach, of what is everybody's own, only what follows the event's roles", () => {
    const own = reached(EVENT).filter((permission) => "signedIn" in POLICY[permission]);
    expect(own.toSorted()).toEqual([
      "account.viewAvatar",
      "event.ownRoles",
      "incident.exportChosen",
      "incident.listAcrossEvents",
      "pin.own",
      "unread.own",
    ]);
    expect(reached(EVENT)).toContain("incident.view");
  });
});

describe("belonging to a container", () => {
  it("needs an event role for an event, whatever the role in its organization", () => {
    expect(hasAccessTo(inOrganization("org_admin"), { organizationId: ORG, eventId: EVENT })).toBe(false);
    expect(hasAccessTo(inEvent("Reporter"), { organizationId: ORG, eventId: EVENT })).toBe(true);
  });
});

describe("which incidents lists show", () => {
  const roles: EventRole[][] = [[], ["Reporter"], ["Responder"], ["Admin"], ["Reporter", "Responder"]];

  it.each(roles.map((held) => [held.join("+") || "no role", held] as const))(
    "agrees with can() for %s",
    (_, held) => {
      const actor = held.length > 0 ? inEvent(...held) : nora;
      for (const subject of [own, foreign, { ...own, reporterId: null }]) {
        const visible = findIncidentVisibility(actor);
        const listed =
          visible.everything ||
          visible.all.includes(subject.eventId) ||
          (visible.own.includes(subject.eventId) && subject.reporterId === actor.id);
        expect(listed).toBe(can(actor, "incident.view", subject));
      }
    },
  );

  it("shows SystemAdmin everything, narrowed to the event that is asked for", () => {
    expect(findIncidentVisibility(sam)).toEqual({ everything: true });
    expect(findIncidentVisibility(sam, EVENT)).toEqual({ everything: false, all: [EVENT], own: [] });
  });
});
