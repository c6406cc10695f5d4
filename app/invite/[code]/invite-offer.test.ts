import { expect, it } from "vitest";
import type { Actor } from "#lib/operation/policy.ts";
import { compareInviteWithHeldRoles, listMemberTexts } from "./invite-offer.ts";

const organization = { name: "Riverside Meetups", slug: "riverside" };
const event = { name: "Spring Gathering", slug: "spring" };
const nobody: Pick<Actor, "organizations" | "events"> = { organizations: [], events: [] };

type OrganizationRole = Actor["organizations"][number]["role"];
const memberAs = (role: OrganizationRole) => ({
  ...nobody,
  organizations: [{ organizationId: "1", slug: organization.slug, role }],
});

type EventRole = Actor["events"][number]["roles"][number];
const onTeamAs = (role: EventRole) => ({
  ...nobody,
  events: [{ eventId: "2", slug: event.slug, organizationId: "1", roles: [role] }],
});

it.each<[OrganizationRole, OrganizationRole, string]>([
  ["org_viewer", "org_viewer", "this"],
  ["org_admin", "org_viewer", "more"],
  // The invite can't be used, but the person's role doesn't let them do what it offers.
  ["org_viewer", "org_admin", "less"],
])("an %s with an invite as %s to the organization has %s", (held, role, expected) => {
  expect(compareInviteWithHeldRoles({ organization, event: null, invite: { role } }, memberAs(held))).toBe(
    expected,
  );
});

it.each<[EventRole, EventRole, string | null]>([
  ["Responder", "Responder", "this"],
  ["Admin", "Responder", "more"],
  ["Reporter", "Responder", null],
])("a %s with an invite as %s to the event has %s", (held, role, expected) => {
  expect(compareInviteWithHeldRoles({ organization, event, invite: { role } }, onTeamAs(held))).toBe(
    expected,
  );
});

it("somebody without a role can use any invite", () => {
  for (const target of [null, event])
    expect(
      compareInviteWithHeldRoles({ organization, event: target, invite: { role: "Admin" } }, nobody),
    ).toBeNull();
});

it.each(["more", "less"] as const)(
  "a member who has %s than the invite reads that it isn’t used up only while others can use it",
  (held) => {
    expect(listMemberTexts(held, { usable: true })).toContain("notUsedUp");
    expect(listMemberTexts(held, { usable: false })).not.toContain("notUsedUp");
  },
);
