import { compareEventRoles, findHighestEventRole } from "#lib/operation/event-roles.ts";
import { describe, expect, it } from "vitest";
import {
  buildActorAsOutsidePerson,
  hasAccessToEventOrOrganization,
  can,
  canListIncidentsOfSomeEvent,
  canSeeSomeOrganization,
  isSystemAdmin,
  listOrganizationIdsClosedToSystemAdmin,
  isOnAnyTeamOrSystemAdmin,
  isReporterOnly,
  listEventIdsOpenToLimitedSystemAdmin,
  requirePermission,
  hasTeamAccessToEvent,
  hasWithheldRole,
  hasSystemAdminAccessEverywhere,
  hasSystemAdminAccessToEvent,
  POLICY,
  createDenialError,
  findActorRightForPermission,
  isPermissionWithoutSignIn,
  requiresUnidentifiedSender,
  type Actor,
  type EventRole,
  type Permission,
  type PermissionSubject,
} from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
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

const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

const inOrganization = (role: "org_admin" | "org_viewer") =>
  person({ organizations: [{ organizationId: TEST_ORGANIZATION_ID, slug: "org", role }] });

/** The rights that give each permission, beside SystemAdmin: stated here a second time, so that a change shows. */
const RIGHTS: Record<string, Permission[]> = {
  public: [
    "account.open",
    "organization.showInvite",
    "organization.viewLogo",
    "event.viewPublic",
    "event.viewLogo",
    "invite.view",
    "report.withoutAccount",
    "mailbox.open",
  ],
  self: [
    "account.own",
    "account.secure",
    "account.setUpFactor",
    "account.createToken",
    "account.viewAvatar",
    "invitation.own",
    "organization.listOwn",
    "organization.useInvite",
    "event.ownRoles",
    "invite.redeem",
    "incident.listAcrossEvents",
    "incident.listUnanswered",
    "incident.exportChosen",
    "jump.search",
    "person.find",
    "pin.own",
    "unread.own",
    "outsideIncident.own",
    "savedView.own",
    "notification.own",
    "live.follow",
    "event.join",
    "incident.createWithoutRole",
  ],
  "": [
    "mailbox.use",
    "admin.manageUsers",
    "admin.resetSecondFactor",
    "admin.listUnreadIncidents",
    "admin.listEvents",
    "admin.settings",
    "admin.viewStats",
    "admin.testMail",
    "admin.viewHealth",
    "admin.viewAudit",
    "organization.create",
    "organization.listAll",
    "organization.delete",
    "organization.initialInvite",
  ],
  "organization:org_admin organization:org_viewer": [
    "organization.view",
    "organization.listEvents",
    "organization.analytics",
    "organization.export",
  ],
  "organization:org_admin": [
    "organization.update",
    "organization.manageMembers",
    "organization.manageInvites",
    "organization.manageWebhooks",
    "organization.manageTokens",
    "organization.changeLogo",
    "organization.createEvent",
    "organization.viewAudit",
    "event.joinTeam",
  ],
  "event:Admin": [
    "event.view",
    "event.update",
    "event.changeLogo",
    "event.listUsersById",
    "event.manageUsers",
    "event.manageRoles",
    "event.manageInvites",
    "event.handOver",
    "event.viewAudit",
    "event.openToServiceTokens",
    "incident.openOriginal",
    "incident.deleteAnyComment",
  ],
  "event:Admin event:Reporter event:Responder": ["event.listUsers", "incident.create", "incident.list"],
  "event:Admin event:Responder": [
    "event.viewUser",
    "event.showQr",
    "incident.changeState",
    "incident.reopen",
    "incident.update",
    "incident.downloadCase",
    "evidence.viewUsage",
    "incident.answerConflictCheck",
    "incident.openInEmergency",
    "incident.presence",
    "incident.stepOut",
    "incident.readTeamNotes",
    "person.read",
    "person.manage",
    "conversation.read",
    "conversation.manage",
    "intake.take",
    "intake.handOver",
  ],
  "event:Admin event:Reporter(own) event:Responder": [
    "incident.view",
    "incident.retitleBySlug",
    "incident.viewFile",
    "incident.addFile",
    "incident.changeFile",
    "incident.viewHistory",
    "incident.viewAccess",
    "incident.viewReaders",
    "incident.readComments",
    "incident.writeComments",
  ],
  "event:Admin event:Reporter(own) event:Responder(own)": ["incident.retitleById", "incident.hide"],
};

/** Given to whoever has opened something with its receipt or code, and to no role. */
const OPENED: Permission[] = ["mailbox.use"];

describe("the role matrix", () => {
  const actors: [Actor | null, PermissionSubject][] = [
    [null, foreign],
    [nora, foreign],
    ...(["org_admin", "org_viewer"] as const).map((role): [Actor, PermissionSubject] => [
      inOrganization(role),
      foreign,
    ]),
    ...(["Reporter", "Responder", "Admin"] as const).map((role): [Actor, PermissionSubject] => [
      inEvent(role),
      foreign,
    ]),
    [inEvent("Reporter"), own],
    [inEvent("Responder"), own],
  ];

  it("names every permission", () => {
    expect(Object.values(RIGHTS).flat().toSorted()).toEqual(Object.keys(POLICY).toSorted());
  });

  it.each(Object.entries(RIGHTS).flatMap(([rights, names]) => names.map((name) => [name, rights] as const)))(
    "gives %s to: %s",
    (permission, rights) => {
      const given = actors.map(([actor, subject]) => findActorRightForPermission(actor, permission, subject));
      expect(
        [...new Set(given)]
          .filter((right) => right !== undefined)
          .toSorted()
          .join(" "),
      ).toBe(rights);
      expect(isPermissionWithoutSignIn(permission)).toBe(rights === "public" || OPENED.includes(permission));
    },
  );
});

describe("the sender of a request", () => {
  it("stays unidentified in reports without an account and mailboxes, and nowhere else", () => {
    const permissions = Object.keys(POLICY) as Permission[];
    expect(permissions.filter(requiresUnidentifiedSender)).toEqual([
      "report.withoutAccount",
      "mailbox.open",
      "mailbox.use",
    ]);
  });
});

describe("the policy table", () => {
  it("lets SystemAdmin do everything, and says so when it holds no role there", () => {
    for (const permission of (Object.keys(POLICY) as Permission[]).filter((name) => !OPENED.includes(name)))
      expect(can(sam, permission, own)).toBe(true);
    expect(findActorRightForPermission(sam, "incident.view", own)).toBe("SystemAdmin");
  });

  it("opens a mailbox to whoever has its words, whoever they are, and to nobody else", () => {
    for (const actor of [null, nora, sam]) {
      expect(findActorRightForPermission(actor, "mailbox.use", own)).toBeUndefined();
      expect(findActorRightForPermission(actor, "mailbox.use", { ...own, mailboxOf: "a conversation" })).toBe(
        "mailbox",
      );
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
    expect(findActorRightForPermission(inEvent("Responder"), "incident.retitleById", own)).toBe(
      "event:Responder(own)",
    );
    expect(can(nora, "incident.retitleById", own)).toBe(false);
    expect(can(inEvent("Responder"), "incident.retitleBySlug", foreign)).toBe(true);
  });

  it("lets the strongest of several roles decide", () => {
    expect(
      findActorRightForPermission(inEvent("Reporter", "Admin", "Responder"), "incident.view", foreign),
    ).toBe("event:Admin");
  });

  it("grants nothing in another event or organization", () => {
    const elsewhere = { organizationId: OTHER_ORG, eventId: OTHER_TEST_EVENT_ID, reporterId: nora.id };
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
      {
        organizationId: TEST_ORGANIZATION_ID,
        slug: "org",
        role: "org_admin" as const,
        reason: "secondFactor" as const,
      },
    ],
    events: [
      {
        eventId: TEST_EVENT_ID,
        slug: "conf",
        organizationId: TEST_ORGANIZATION_ID,
        roles: ["Responder" as const],
        reason: "secondFactor" as const,
      },
    ],
  };
  const waiting = person({ withheld });

  it("give no rights", () => {
    for (const permission of Object.keys(POLICY) as Permission[])
      expect(can(waiting, permission, foreign)).toBe(can(nora, permission, foreign));
    expect(hasAccessToEventOrOrganization(waiting, { eventId: TEST_EVENT_ID })).toBe(false);
    expect(getVisibleIncidentFilter(waiting)).toEqual({ everything: false, all: [], own: [] });
  });

  it("are the reason for a refusal where they are held, and nowhere else", () => {
    expect(createDenialError(waiting, foreign).code).toBe("SECOND_FACTOR_REQUIRED");
    expect(createDenialError(waiting, { organizationId: TEST_ORGANIZATION_ID }).code).toBe(
      "SECOND_FACTOR_REQUIRED",
    );
    expect(createDenialError(waiting, { eventId: OTHER_TEST_EVENT_ID, organizationId: OTHER_ORG }).code).toBe(
      "FORBIDDEN",
    );
    expect(createDenialError(waiting, { eventId: TEST_EVENT_ID }).code).toBe("SECOND_FACTOR_REQUIRED");
    expect(createDenialError(nora, foreign).code).toBe("FORBIDDEN");
    expect(createDenialError(null, foreign).code).toBe("FORBIDDEN");
    expect(hasWithheldRole(waiting, { eventId: TEST_EVENT_ID })).toBe(true);
    expect(hasWithheldRole(waiting, {})).toBe(false);
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

  it("is the reason only for what needs a verified one, where no role is withheld", () => {
    const roleless = person({ unverified: true });
    expect(createDenialError(roleless, {}, "account.createToken").code).toBe("EMAIL_UNVERIFIED");
    expect(createDenialError(roleless, {}, "admin.settings").code).toBe("FORBIDDEN");
    expect(createDenialError(nora, {}, "account.createToken").code).toBe("FORBIDDEN");
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
  const open = { organizationId: OTHER_ORG, eventId: OTHER_TEST_EVENT_ID };
  const closed = {
    organizations: new Set([TEST_ORGANIZATION_ID]),
    openEvents: new Set([OTHER_TEST_EVENT_ID]),
  };
  const shut = person({ systemAdmin: true, closed });
  const unnamed = (permission: Permission) =>
    "public" in POLICY[permission] || "signedIn" in POLICY[permission];

  it("passes nowhere in it, by no row and no lack of an id", () => {
    for (const permission of Object.keys(POLICY) as Permission[]) {
      for (const place of [foreign, { organizationId: TEST_ORGANIZATION_ID }, { eventId: TEST_EVENT_ID }]) {
        expect(can(shut, permission, place)).toBe(unnamed(permission));
        expect(createDenialError(shut, place, permission).code).toBe("SECOND_FACTOR_REQUIRED");
      }
    }
    for (const place of [{ organizationId: TEST_ORGANIZATION_ID }, { eventId: TEST_EVENT_ID }])
      expect(hasAccessToEventOrOrganization(shut, place)).toBe(false);
    expect([
      hasSystemAdminAccessToEvent(shut, TEST_EVENT_ID),
      hasTeamAccessToEvent(shut, TEST_EVENT_ID),
      hasSystemAdminAccessEverywhere(shut),
    ]).toEqual([false, false, false]);
    expect(getVisibleIncidentFilter(shut)).toEqual({
      everything: false,
      all: [OTHER_TEST_EVENT_ID],
      own: [],
    });
    expect(getVisibleIncidentFilter(shut, TEST_EVENT_ID)).toEqual({
      everything: false,
      all: [],
      own: [],
    });
  });

  it("passes elsewhere, and in what belongs to no organization", () => {
    for (const permission of Object.keys(POLICY) as Permission[])
      for (const place of [open, {}])
        expect(can(shut, permission, place)).toBe(can(system, permission, place));
    expect(hasAccessToEventOrOrganization(shut, open)).toBe(true);
    expect(getVisibleIncidentFilter(shut, OTHER_TEST_EVENT_ID)).toEqual({
      everything: false,
      all: [OTHER_TEST_EVENT_ID],
      own: [],
    });
  });

  it("keeps own reports there, as a Reporter", () => {
    const reporter = {
      ...shut,
      events: [
        {
          eventId: TEST_EVENT_ID,
          slug: "conf",
          organizationId: TEST_ORGANIZATION_ID,
          roles: ["Reporter" as const],
        },
      ],
    };
    expect(can(reporter, "incident.view", { ...foreign, reporterId: reporter.id })).toBe(true);
    expect(can(reporter, "incident.view", foreign)).toBe(false);
    expect(getVisibleIncidentFilter(reporter)).toEqual({
      everything: false,
      all: [OTHER_TEST_EVENT_ID],
      own: [TEST_EVENT_ID],
    });
  });
});

describe("a service token", () => {
  const service = {
    ...inEvent("Responder"),
    organizations: [{ organizationId: TEST_ORGANIZATION_ID, slug: "org", role: "org_viewer" as const }],
    token: { scope: "read", eventId: null, organizationId: TEST_ORGANIZATION_ID, service: true } as const,
  };

  it("is the right in the audit log, not the role that it stands for", () => {
    expect(findActorRightForPermission(service, "incident.view", foreign)).toBe("token:read");
    expect(
      findActorRightForPermission(service, "organization.export", { organizationId: TEST_ORGANIZATION_ID }),
    ).toBe("token:read");
    expect(findActorRightForPermission(service, "incident.listAcrossEvents")).toBe("token:read");
    expect(findActorRightForPermission(service, "event.viewPublic")).toBe("public");
  });

  it("passes nowhere else", () => {
    const elsewhere = { organizationId: OTHER_ORG, eventId: OTHER_TEST_EVENT_ID };
    expect(findActorRightForPermission(service, "incident.view", elsewhere)).toBeUndefined();
    expect(
      findActorRightForPermission(service, "organization.export", { organizationId: OTHER_ORG }),
    ).toBeUndefined();
    expect(getVisibleIncidentFilter(service)).toEqual({
      everything: false,
      all: [TEST_EVENT_ID],
      own: [],
    });
  });

  it("is refused for its scope in its own organization, and like anybody else elsewhere", () => {
    const token = { ...service.token, eventId: TEST_EVENT_ID };
    for (const subject of [
      { organizationId: TEST_ORGANIZATION_ID },
      { organizationId: TEST_ORGANIZATION_ID, eventId: OTHER_TEST_EVENT_ID },
    ])
      expect(createDenialError({ ...service, token }, subject).code).toBe("TOKEN_SCOPE");
    for (const subject of [
      { organizationId: OTHER_ORG },
      { organizationId: OTHER_ORG, eventId: TEST_EVENT_ID },
      {},
    ])
      expect(createDenialError({ ...service, token }, subject).code).toBe("FORBIDDEN");
  });
});

describe("belonging to a container", () => {
  it("needs an event role for an event, whatever the role in its organization", () => {
    expect(
      hasAccessToEventOrOrganization(inOrganization("org_admin"), {
        organizationId: TEST_ORGANIZATION_ID,
        eventId: TEST_EVENT_ID,
      }),
    ).toBe(false);
    expect(
      hasAccessToEventOrOrganization(inEvent("Reporter"), {
        organizationId: TEST_ORGANIZATION_ID,
        eventId: TEST_EVENT_ID,
      }),
    ).toBe(true);
  });

  it("needs a role in the organization where no event is named", () => {
    expect(
      hasAccessToEventOrOrganization(inOrganization("org_viewer"), { organizationId: TEST_ORGANIZATION_ID }),
    ).toBe(true);
    for (const actor of [inOrganization("org_admin"), inEvent("Admin"), nora])
      expect(hasAccessToEventOrOrganization(actor, { organizationId: OTHER_ORG })).toBe(false);
  });
});

describe("requiring a permission", () => {
  it("returns the right", () => {
    expect(requirePermission(inEvent("Responder"), "incident.view", foreign)).toBe("event:Responder");
    expect(requirePermission(null, "invite.view")).toBe("public");
  });

  it("throws FORBIDDEN without one, signed in or not", () => {
    for (const actor of [nora, null])
      expect(() => requirePermission(actor, "incident.view", foreign)).toThrow(
        expect.objectContaining({ code: "FORBIDDEN" }),
      );
  });
});

describe("a SystemAdmin's token for an event where they have no role", () => {
  const token = person({
    token: { scope: "write", eventId: TEST_EVENT_ID, organizationId: null, system: true },
  });

  it("gives their access to that event and nowhere else", () => {
    expect(hasSystemAdminAccessToEvent(token, TEST_EVENT_ID)).toBe(true);
    expect(hasSystemAdminAccessToEvent(token, OTHER_TEST_EVENT_ID)).toBe(false);
    expect(hasSystemAdminAccessToEvent(token, undefined)).toBe(false);
    expect(findActorRightForPermission(token, "incident.view", foreign)).toBe("SystemAdmin");
    expect(findActorRightForPermission(token, "organization.view", foreign)).toBeUndefined();
    expect(findActorRightForPermission(token, "admin.settings", foreign)).toBeUndefined();
    expect(hasTeamAccessToEvent(token, TEST_EVENT_ID)).toBe(true);
    expect(isOnAnyTeamOrSystemAdmin(token)).toBe(true);
    expect(listEventIdsOpenToLimitedSystemAdmin(token)).toEqual([TEST_EVENT_ID]);
    expect(getVisibleIncidentFilter(token)).toEqual({
      everything: false,
      all: [TEST_EVENT_ID],
      own: [],
    });
  });

  it("needs both the event and the system role", () => {
    const others = [
      person({ token: { scope: "write", eventId: null, organizationId: null, system: true } }),
      person({ token: { scope: "write", eventId: TEST_EVENT_ID, organizationId: null } }),
      nora,
    ];
    for (const actor of others) {
      expect(hasSystemAdminAccessToEvent(actor, TEST_EVENT_ID)).toBe(false);
      expect(hasSystemAdminAccessToEvent(actor, undefined)).toBe(false);
      expect(isOnAnyTeamOrSystemAdmin(actor)).toBe(false);
      expect(listEventIdsOpenToLimitedSystemAdmin(actor)).toEqual([]);
    }
  });
});

it("whoever opened an incident in an emergency reads it, and does nothing else with it", () => {
  const subject = { eventId: TEST_EVENT_ID, organizationId: TEST_ORGANIZATION_ID, inEmergency: true };
  const ofRoles = (Object.keys(POLICY) as Permission[]).filter((permission) => {
    const rule = POLICY[permission];
    return !("public" in rule || "signedIn" in rule || "mailbox" in rule);
  });
  for (const actor of [sam, inEvent("Admin")])
    expect(ofRoles.filter((permission) => can(actor, permission, subject))).toEqual([
      "conversation.read",
      "incident.view",
      "incident.viewFile",
      "incident.openOriginal",
      "incident.viewHistory",
      "incident.viewAccess",
      "incident.viewReaders",
      "incident.stepOut",
      "incident.answerConflictCheck",
      "incident.openInEmergency",
      "incident.presence",
      "incident.readComments",
      "incident.readTeamNotes",
      "person.read",
    ]);
});

describe("an outside person", () => {
  const INCIDENT = "5d0f7a3e-0000-4000-8000-000000000001";
  const outsideIncident = {
    incidentId: INCIDENT,
    eventId: TEST_EVENT_ID,
    slug: "spring",
    organizationId: TEST_ORGANIZATION_ID,
    timeZone: null,
  };
  const outsidePerson = { ...inOrganization("org_viewer"), outsideIncidents: [outsideIncident] };
  const named = { eventId: TEST_EVENT_ID, organizationId: TEST_ORGANIZATION_ID, incidentId: INCIDENT };

  it("has the rights of the team on an incident that they read, when a call names it", () => {
    for (const call of [
      { eventId: TEST_EVENT_ID.toUpperCase(), incidentId: INCIDENT.toUpperCase() },
      { slug: "spring", incidentId: INCIDENT },
    ]) {
      const acting = buildActorAsOutsidePerson(outsidePerson, call);
      expect(findActorRightForPermission(acting, "incident.view", named)).toBe("outsidePerson");
      expect(findActorRightForPermission(acting, "incident.changeState", named)).toBe("outsidePerson");
      expect(hasTeamAccessToEvent(acting, TEST_EVENT_ID)).toBe(true);
    }
  });

  it("has no other rights in the event, nor anywhere else by them", () => {
    const acting = buildActorAsOutsidePerson(outsidePerson, { eventId: TEST_EVENT_ID, incidentId: INCIDENT });
    for (const permission of Object.keys(POLICY) as Permission[]) {
      const subject = { eventId: TEST_EVENT_ID, organizationId: TEST_ORGANIZATION_ID };
      expect(findActorRightForPermission(acting, permission, subject)).toBe(
        findActorRightForPermission(outsidePerson, permission, subject),
      );
      const other = { ...subject, incidentId: OTHER_TEST_EVENT_ID };
      expect(findActorRightForPermission(acting, permission, other)).toBe(
        findActorRightForPermission(outsidePerson, permission, other),
      );
    }
    expect(can(acting, "incident.view", { eventId: OTHER_TEST_EVENT_ID, incidentId: INCIDENT })).toBe(false);
  });

  it("has no rights of the team for a call about another incident or event, or none", () => {
    for (const call of [
      {},
      { eventId: TEST_EVENT_ID },
      { incidentId: INCIDENT },
      { eventId: OTHER_TEST_EVENT_ID, incidentId: INCIDENT },
      { slug: "autumn", eventId: TEST_EVENT_ID, incidentId: INCIDENT },
      { eventId: TEST_EVENT_ID, incidentId: OTHER_TEST_EVENT_ID },
    ])
      expect(buildActorAsOutsidePerson(outsidePerson, call)).toBe(outsidePerson);
  });

  it("is nobody who reads no incident so, whatever a call names", () => {
    for (const actor of [nora, inEvent("Responder"), { ...outsidePerson, outsideIncidents: [] }])
      expect(buildActorAsOutsidePerson(actor, { eventId: TEST_EVENT_ID, incidentId: INCIDENT })).toBe(actor);
  });

  it("keeps roles in other events, and holds that role in place of their own in its event", () => {
    const { events } = inEvent("Reporter");
    const other = { eventId: OTHER_TEST_EVENT_ID, slug: "other", organizationId: OTHER_ORG };
    const responder = { ...other, roles: ["Responder" as const] };
    const acting = buildActorAsOutsidePerson(
      { ...outsidePerson, events: [...events, responder] },
      { eventId: TEST_EVENT_ID, incidentId: INCIDENT },
    );
    expect(acting.events.map(({ eventId, roles }) => [eventId, roles])).toEqual([
      [OTHER_TEST_EVENT_ID, ["Responder"]],
      [TEST_EVENT_ID, ["Admin"]],
    ]);
  });
});

describe("the events where a SystemAdmin passes without doing so everywhere", () => {
  const closed = {
    organizations: new Set([TEST_ORGANIZATION_ID]),
    openEvents: new Set([OTHER_TEST_EVENT_ID]),
  };

  it("are the open ones of a SystemAdmin, and none of anybody else", () => {
    expect(listEventIdsOpenToLimitedSystemAdmin(person({ systemAdmin: true, closed }))).toEqual([
      OTHER_TEST_EVENT_ID,
    ]);
    expect(listEventIdsOpenToLimitedSystemAdmin(person({ closed }))).toEqual([]);
    expect(createDenialError(person({ closed }), { eventId: TEST_EVENT_ID }).code).toBe("FORBIDDEN");
    expect(listEventIdsOpenToLimitedSystemAdmin(sam)).toEqual([]);
  });
});

describe("what a person is in all of their events", () => {
  it("is a team member with any role beyond Reporter", () => {
    for (const role of ["Responder", "Admin"] as const) {
      expect(hasTeamAccessToEvent(inEvent(role), TEST_EVENT_ID)).toBe(true);
      expect(hasTeamAccessToEvent(inEvent("Reporter", role), TEST_EVENT_ID)).toBe(true);
      expect(hasTeamAccessToEvent(inEvent(role), OTHER_TEST_EVENT_ID)).toBe(false);
      expect(isOnAnyTeamOrSystemAdmin(inEvent(role))).toBe(true);
    }
    expect(hasTeamAccessToEvent(inEvent("Reporter"), TEST_EVENT_ID)).toBe(false);
    expect(isOnAnyTeamOrSystemAdmin(inEvent("Reporter"))).toBe(false);
    expect(isOnAnyTeamOrSystemAdmin(sam)).toBe(true);
  });

  it("is a reporter only without a team, an organization and the system role", () => {
    expect(isReporterOnly(nora)).toBe(true);
    expect(isReporterOnly(inEvent("Reporter"))).toBe(true);
    for (const actor of [inEvent("Responder"), inOrganization("org_viewer"), sam])
      expect(isReporterOnly(actor)).toBe(false);
    const closed = { organizations: new Set([TEST_ORGANIZATION_ID]), openEvents: new Set<string>() };
    expect(isReporterOnly(person({ systemAdmin: true, closed }))).toBe(false);
  });
});

describe("the order of event roles", () => {
  it("goes from Reporter over Responder to Admin", () => {
    const roles: EventRole[] = ["Admin", "Reporter", "Responder"];
    expect(roles.toSorted(compareEventRoles)).toEqual(["Reporter", "Responder", "Admin"]);
    expect(findHighestEventRole(roles)).toBe("Admin");
    expect(findHighestEventRole(["Responder", "Reporter"])).toBe("Responder");
    expect(findHighestEventRole([])).toBeUndefined();
  });
});

describe("what other roles and the system role open", () => {
  it("is the system role for what only a SystemAdmin may do", () => {
    expect([isSystemAdmin(sam), isSystemAdmin(inOrganization("org_admin"))]).toEqual([true, false]);
  });

  it("shows organizations and incident lists to whoever has some", () => {
    expect([sam, inOrganization("org_viewer"), nora, inEvent("Admin")].map(canSeeSomeOrganization)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(
      [sam, inEvent("Reporter"), nora, inOrganization("org_admin")].map(canListIncidentsOfSomeEvent),
    ).toEqual([true, true, false, false]);
  });

  it("lists the organizations that are closed to a SystemAdmin, and to nobody else", () => {
    const closed = { organizations: new Set([TEST_ORGANIZATION_ID]), openEvents: new Set<string>() };
    expect(listOrganizationIdsClosedToSystemAdmin(person({ systemAdmin: true, closed }))).toEqual([
      TEST_ORGANIZATION_ID,
    ]);
    expect(listOrganizationIdsClosedToSystemAdmin(person({ closed }))).toBeNull();
    expect(listOrganizationIdsClosedToSystemAdmin(sam)).toBeNull();
  });
});
