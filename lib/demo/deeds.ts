import type { EventRow, InviteRow, OrganizationRow } from "./rows.ts";
import type { World } from "./world.ts";

/**
 * What the audit log tells of the demo world: who set up what, in the words that the service itself uses, and one entry
 * an organization that says where its reports come from. No deed on a report is made up.
 */

export type DemoDeed = {
  chain: string;
  actorId: string | null;
  action: string;
  objectType: string;
  objectId: string | null;
  eventId: string | null;
  right: string;
  data: Record<string, string | number | boolean | null | string[]>;
};

export function deedsOf(world: World): DemoDeed[] {
  return [
    ...world.users.map((user) => ({
      ...blank("system"),
      actorId: user.id,
      action: "account.register",
      objectType: "user",
      objectId: user.id,
      right: "public",
      data: { madeSystemAdmin: user.system_admin },
    })),
    ...world.organizations.flatMap((organization) => organizationDeeds(world, organization)),
  ];
}

const blank = (chain: string) => ({ chain, eventId: null, objectId: null, data: {} });

function organizationDeeds(world: World, organization: OrganizationRow): DemoDeed[] {
  const { id } = organization;
  const events = world.events.filter(({ organization_id }) => organization_id === id);
  const invites = world.invites.filter(
    ({ organization_id, event_id }) => organization_id === id && !event_id,
  );
  const initial = invites.find((invite) => invite.initial);
  const reports = world.incidents.filter(({ event_id }) =>
    events.some((event) => event.id === event_id),
  ).length;
  return [
    {
      ...blank(id),
      actorId: initial?.created_by_id ?? null,
      action: "organization.create",
      objectType: "organization",
      objectId: id,
      right: "SystemAdmin",
      data: { initialInviteId: initial?.id ?? null },
    },
    ...invites.flatMap((invite) => inviteDeeds(world, invite, "organization:org_admin")),
    ...events.flatMap((event) => eventDeeds(world, event)),
    {
      ...blank(id),
      actorId: null,
      action: "demo.fill",
      objectType: "organization",
      objectId: id,
      right: "command",
      data: { incidents: reports },
    },
  ];
}

/** The organization's admin creates it and is its first Admin; the rest of the Admins and the team follow. */
function eventDeeds(world: World, event: EventRow): DemoDeed[] {
  const organizers = world.members.filter(
    ({ organization_id, role }) => organization_id === event.organization_id && role === "org_admin",
  );
  const creator = organizers[0]?.user_id ?? null;
  const first = organizers.map(({ user_id }) => user_id);
  const invites = world.invites.filter(({ event_id }) => event_id === event.id);
  const invited = new Set(invites.flatMap((invite) => usersOf(world, invite)));
  const granted = world.eventRoles.filter(
    ({ event_id, user_id }) => event_id === event.id && !first.includes(user_id) && !invited.has(user_id),
  );
  const here = { ...blank(event.organization_id), actorId: creator, eventId: event.id };
  return [
    {
      ...here,
      action: "event.create",
      objectType: "event",
      objectId: event.id,
      right: "organization:org_admin",
      data: { admins: first },
    },
    ...granted.map(({ user_id, role_name }) => ({
      ...here,
      action: "eventRole.grant",
      objectType: "eventRole",
      objectId: user_id,
      right: "event:Admin",
      data: { userId: user_id, role: role_name },
    })),
    ...invites.flatMap((invite) => inviteDeeds(world, invite, "event:Admin")),
  ];
}

function inviteDeeds(world: World, invite: InviteRow, right: string): DemoDeed[] {
  const here = {
    ...blank(invite.organization_id),
    eventId: invite.event_id,
    objectType: "invite",
    objectId: invite.id,
  };
  const made = {
    ...here,
    actorId: invite.created_by_id,
    action: "invite.create",
    right,
    data: { role: invite.role, maxUses: invite.max_uses },
  };
  const withdrawn = {
    ...here,
    actorId: invite.created_by_id,
    action: "invite.change",
    right,
    data: { fields: ["disabled"], disabled: true },
  };
  return [
    // The first invite comes with the organization and is told of there.
    ...(invite.initial ? [] : [made]),
    ...usersOf(world, invite).map((userId) => ({
      ...here,
      actorId: userId,
      action: "invite.use",
      right: "invite",
      data: { userId, role: invite.role },
    })),
    ...(invite.disabled ? [withdrawn] : []),
  ];
}

const usersOf = (world: World, invite: InviteRow): string[] =>
  world.inviteUses.filter(({ invite_id }) => invite_id === invite.id).map(({ user_id }) => user_id);
