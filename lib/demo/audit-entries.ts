import type { DemoEventRow, DemoInviteRow, DemoOrganizationRow } from "./rows.ts";
import type { DemoWorldRows } from "./world.ts";

/**
 * The audit entries of the demo world: who set up what, with the service's own action names, and one entry per
 * organization that says where its reports come from. No action on a report is invented.
 */

export type DemoAuditEntry = {
  chain: string;
  actorId: string | null;
  action: string;
  objectType: string;
  objectId: string | null;
  eventId: string | null;
  right: string;
  data: Record<string, string | number | boolean | null | string[]>;
};

export function buildDemoAuditEntries(world: DemoWorldRows): DemoAuditEntry[] {
  return [
    ...world.users.map((user) => ({
      ...buildEntryDefaults("system"),
      actorId: user.id,
      action: "account.register",
      objectType: "user",
      objectId: user.id,
      right: "public",
      data: { madeSystemAdmin: user.system_admin },
    })),
    ...world.organizations.flatMap((organization) => buildOrganizationEntries(world, organization)),
  ];
}

const buildEntryDefaults = (chain: string) => ({ chain, eventId: null, objectId: null, data: {} });

function buildOrganizationEntries(world: DemoWorldRows, organization: DemoOrganizationRow): DemoAuditEntry[] {
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
      ...buildEntryDefaults(id),
      actorId: initial?.created_by_id ?? null,
      action: "organization.create",
      objectType: "organization",
      objectId: id,
      right: "SystemAdmin",
      data: { initialInviteId: initial?.id ?? null },
    },
    ...invites.flatMap((invite) => buildInviteEntries(world, invite, "organization:org_admin")),
    ...events.flatMap((event) => buildEventEntries(world, event)),
    {
      ...buildEntryDefaults(id),
      actorId: null,
      action: "demo.fill",
      objectType: "organization",
      objectId: id,
      right: "command",
      data: { incidents: reports },
    },
  ];
}

/** The organization's admin creates the event and is its first Admin; the other Admins and the team follow. */
function buildEventEntries(world: DemoWorldRows, event: DemoEventRow): DemoAuditEntry[] {
  const organizers = world.members.filter(
    ({ organization_id, role }) => organization_id === event.organization_id && role === "org_admin",
  );
  const creator = organizers[0]?.user_id ?? null;
  const first = organizers.map(({ user_id }) => user_id);
  const invites = world.invites.filter(({ event_id }) => event_id === event.id);
  const invited = new Set(invites.flatMap((invite) => listInviteUsers(world, invite)));
  const granted = world.eventRoles.filter(
    ({ event_id, user_id }) => event_id === event.id && !first.includes(user_id) && !invited.has(user_id),
  );
  const commonFields = { ...buildEntryDefaults(event.organization_id), actorId: creator, eventId: event.id };
  return [
    {
      ...commonFields,
      action: "event.create",
      objectType: "event",
      objectId: event.id,
      right: "organization:org_admin",
      data: { admins: first },
    },
    ...granted.map(({ user_id, role_name }) => ({
      ...commonFields,
      action: "eventRole.grant",
      objectType: "eventRole",
      objectId: user_id,
      right: "event:Admin",
      data: { userId: user_id, role: role_name },
    })),
    ...invites.flatMap((invite) => buildInviteEntries(world, invite, "event:Admin")),
  ];
}

function buildInviteEntries(world: DemoWorldRows, invite: DemoInviteRow, right: string): DemoAuditEntry[] {
  const commonFields = {
    ...buildEntryDefaults(invite.organization_id),
    eventId: invite.event_id,
    objectType: "invite",
    objectId: invite.id,
  };
  const creationEntry = {
    ...commonFields,
    actorId: invite.created_by_id,
    action: "invite.create",
    right,
    data: { role: invite.role, maxUses: invite.max_uses },
  };
  const revocationEntry = {
    ...commonFields,
    actorId: invite.created_by_id,
    action: "invite.change",
    right,
    data: { fields: ["disabled"], disabled: true },
  };
  return [
    // The organization's creation entry already names its initial invite.
    ...(invite.initial ? [] : [creationEntry]),
    ...listInviteUsers(world, invite).map((userId) => ({
      ...commonFields,
      actorId: userId,
      action: "invite.use",
      right: "invite",
      data: { userId, role: invite.role },
    })),
    ...(invite.disabled ? [revocationEntry] : []),
  ];
}

const listInviteUsers = (world: DemoWorldRows, invite: DemoInviteRow): string[] =>
  world.inviteUses.filter(({ invite_id }) => invite_id === invite.id).map(({ user_id }) => user_id);
