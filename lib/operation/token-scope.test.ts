import { describe, expect, it } from "vitest";
import { POLICY, type Permission } from "#lib/operation/policy.ts";
import { isPermissionInTokenScope, type ActorToken } from "#lib/operation/token-scope.ts";

const ORGANIZATION = "11111111-1111-4111-8111-111111111111";
const EVENT = "33333333-3333-4333-8333-333333333333";

const permissions = Object.keys(POLICY) as Permission[];
const reached = (token: Partial<ActorToken>) =>
  permissions.filter((permission) =>
    isPermissionInTokenScope(
      { token: { scope: "write", eventId: null, organizationId: null, ...token } },
      permission,
    ),
  );

describe("tokens", () => {
  it("have all permissions except those that decide who gets into the account", () => {
    expect(permissions.filter((permission) => !reached({}).includes(permission))).toEqual([
      "account.secure",
      "account.setUpFactor",
      "account.createToken",
      "admin.resetSecondFactor",
      "admin.listUnreadIncidents",
      "organization.manageTokens",
      "event.openToServiceTokens",
      "intake.handOver",
      "incident.openInEmergency",
    ]);
    for (const permission of permissions) expect(isPermissionInTokenScope({}, permission)).toBe(true);
  });

  it.each([{ eventId: EVENT }, { organizationId: ORGANIZATION }])(
    "for one place reach, of what is everybody's own, only what follows the roles there: %o",
    (place) => {
      const own = reached(place).filter((permission) => "signedIn" in POLICY[permission]);
      expect(own.toSorted()).toEqual([
        "account.viewAvatar",
        "event.ownRoles",
        "incident.exportChosen",
        "incident.listAcrossEvents",
        "incident.listUnanswered",
        "jump.search",
        "person.find",
        "pin.own",
        "unread.own",
      ]);
      expect(reached(place)).toContain("incident.view");
    },
  );

  it("of an organization itself reach a fixed list, which changes nothing and manages nobody", () => {
    const service = { organizationId: ORGANIZATION, service: true } as const;
    const own = (scope: "read" | "write" | "export", place = {}) =>
      reached({ ...service, scope, ...place }).filter((permission) => !("public" in POLICY[permission]));
    expect(own("read").toSorted()).toEqual([
      "incident.exportChosen",
      "incident.list",
      "incident.listAcrossEvents",
      "incident.readComments",
      "incident.view",
      "incident.viewHistory",
      "organization.analytics",
      "organization.export",
      "organization.listEvents",
    ]);
    expect(own("write")).toEqual(own("read"));
    expect(own("export")).toEqual(["organization.export"]);
    expect(own("export", { eventId: EVENT }).toSorted()).toEqual([
      "incident.exportChosen",
      "organization.export",
    ]);
  });

  it.each([{}, { eventId: EVENT }, { organizationId: ORGANIZATION }])(
    "for exports reach the exports, and what anybody may see: %o",
    (place) => {
      const open = permissions.filter((permission) => "public" in POLICY[permission]);
      const exports = ["organization.export", "incident.exportChosen"];
      expect(reached({ scope: "export", ...place }).toSorted()).toEqual([...open, ...exports].toSorted());
      expect(permissions.filter((permission) => "exports" in POLICY[permission])).toEqual(exports);
    },
  );
});
