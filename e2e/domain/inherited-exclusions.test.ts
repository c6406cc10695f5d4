import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { waitForNextMillisecond } from "#e2e/support/distinct-times.ts";
import { storeExcludedEmailHash } from "#lib/accounts/former-exclusions.ts";
import { changeSystemRoleOrDisabled } from "#lib/admin/users.ts";
import { generateInviteCode } from "#lib/crypto/random-code.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { leaveEvent } from "#lib/events/leave.ts";
import { changeEventUser, grantRoleInEvent, removeEventUser, revokeRoleInEvent } from "#lib/events/roles.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";
import { addMember, changeMemberRole, removeMember } from "#lib/organizations/members.ts";

/** Exclusions that people inherit from whoever lets them read (contract 16.3, docs/decisions/058). */

type Person = { id: string; email: string; name: string };

/** A report hidden from the accused, an admin of everything, and read by a Responder whom an honest Admin brought in. */
async function createWorld() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [accused, honest, reader] = [
    await createUser("Ada"),
    await createUser("Berta"),
    await createUser("Carl"),
  ];
  const { id: organizationId } = organization;
  const { id: eventId } = event;
  await prisma.user.updateMany({
    where: { id: { in: [accused.id, honest.id] } },
    data: { systemAdmin: true },
  });
  const members: [Person, OrganizationRole, EventRole][] = [
    [honest, "org_admin", "Admin"],
    [accused, "org_admin", "Admin"],
    [reader, "org_viewer", "Responder"],
  ];
  for (const [{ id: userId }, role, roleName] of members) {
    await prisma.organizationMember.create({ data: { organizationId, userId, role, addedById: honest.id } });
    await prisma.eventRole.create({ data: { eventId, userId, roleName, grantedById: honest.id } });
  }
  const place = { organizationId, slug: event.slug };
  const contextOf = ({ id, email, name }: Person) => ({
    organizationId,
    eventId,
    userId: reader.id,
    right: "event:Admin",
    actor: {
      id,
      email,
      name,
      sessionId: randomUUID(),
      systemAdmin: id !== reader.id,
      hiddenIncidentIds: [],
      organizations: [{ ...place, role: "org_admin" }],
      events: [{ ...place, eventId, roles: ["Admin"] }],
    },
    call: { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null },
  });
  const hideNewReport = async () => {
    const { id: incidentId } = await createIncident({ eventId });
    await hide(incidentId, accused);
    await waitForNextMillisecond();
    return incidentId;
  };
  const createInvite = async (role: EventRole, { id: createdById }: Person) => {
    const data = { organizationId, eventId, role, createdById, code: generateInviteCode(), maxUses: 5 };
    return (await prisma.invite.create({ data })).code;
  };
  const context = contextOf(accused) as never;
  const ownContext = contextOf(reader) as never;
  return {
    organizationId,
    eventId,
    accused,
    honest,
    reader,
    context,
    ownContext,
    hideNewReport,
    createInvite,
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

const hide = (incidentId: string, { id: userId }: Person, source: "reporter" | "team" = "reporter") =>
  prisma.incidentExclusion.create({ data: { incidentId, userId, source } });

const listExcludedIds = async (incidentId: string) =>
  (await prisma.incidentExclusion.findMany({ where: { incidentId } })).map(({ userId }) => userId).toSorted();

const redeem = (code: string, { id: userId }: Person) =>
  runTransaction((tx) => redeemInvite(tx, { code, userId, requestId: randomUUID() }));

const changeRole = ({ context, reader }: World, role: EventRole) =>
  changeEventUser(context, { role, name: reader.name, email: reader.email } as never);

const RESPONDER = "Responder" as const;

const responder = ({ reader }: World) => ({ userId: reader.id, roleName: RESPONDER });

const grantAgain = (world: World) => grantRoleInEvent(world.context, responder(world));

const setSystemAdmin = (world: World, systemAdmin: boolean) =>
  changeSystemRoleOrDisabled(world.context, { systemAdmin });

const setDisabled = (world: World, disabled: boolean) =>
  changeSystemRoleOrDisabled(world.context, { disabled });

type Way = [string, (world: World) => Promise<unknown>, (world: World) => Promise<unknown>];

const WAYS_BACK_TO_THE_TEAM: Way[] = [
  [
    "is made an attendee and a Responder again",
    (world) => changeRole(world, "Reporter"),
    (world) => changeRole(world, RESPONDER),
  ],
  [
    "loses the role and gets it again",
    (world) => revokeRoleInEvent(world.context, responder(world)),
    grantAgain,
  ],
  ["is removed and added again", ({ context }) => removeEventUser(context), grantAgain],
  [
    "leaves and redeems an invite",
    ({ ownContext, eventId }) => leaveEvent(ownContext, eventId),
    async ({ createInvite, accused, reader }) => redeem(await createInvite(RESPONDER, accused), reader),
  ],
  [
    "is disabled, removed, enabled and added again",
    async (world) => {
      await setDisabled(world, true);
      await waitForNextMillisecond();
      await removeEventUser(world.context);
    },
    async (world) => {
      await setDisabled(world, false);
      await grantAgain(world);
    },
  ],
  [
    "is removed from the team and the organization, and added to both again",
    async ({ context }) => {
      await removeEventUser(context);
      await removeMember(context);
    },
    async (world) => {
      await addMember(world.context, { userId: world.reader.id, role: "org_viewer" } as never);
      await grantAgain(world);
    },
  ],
  [
    "is removed, becomes SystemAdmin and is added again",
    ({ context }) => removeEventUser(context),
    async (world) => {
      await setSystemAdmin(world, true);
      await setSystemAdmin(world, false);
      await grantAgain(world);
    },
  ],
];

it.each(WAYS_BACK_TO_THE_TEAM)(
  "a Responder who %s, through an excluded Admin, inherits only what was hidden in the meantime",
  async (_, leave, comeBack) => {
    const world = await createWorld();
    const { accused, reader, honest, eventId, hideNewReport } = world;
    const before = await hideNewReport();
    await leave(world);
    await waitForNextMillisecond();
    const meanwhile = await hideNewReport();
    await comeBack(world);
    expect(await listExcludedIds(before)).toEqual([accused.id]);
    expect(await listExcludedIds(meanwhile)).toEqual([accused.id, reader.id].toSorted());
    const where = { eventId, userId: reader.id, roleName: RESPONDER };
    expect(await prisma.eventRole.findMany({ where })).toMatchObject([{ grantedById: honest.id }]);
  },
);

it("an account that was disabled when a report was hidden inherits that although it left the team later", async () => {
  const world = await createWorld();
  const { accused, reader, hideNewReport } = world;
  await setDisabled(world, true);
  await waitForNextMillisecond();
  const incidentId = await hideNewReport();
  await removeEventUser(world.context);
  await removeMember(world.context);
  await setDisabled(world, false);
  await grantAgain(world);
  expect(await listExcludedIds(incidentId)).toEqual([accused.id, reader.id].toSorted());
});

it("an exclusion that came with a report without a name is inherited by who had left, although its time is rounded", async () => {
  const world = await createWorld();
  const { accused, reader, eventId } = world;
  await removeEventUser(world.context);
  const { id: incidentId } = await createIncident({ eventId });
  const createdAt = new Date(Math.floor(Date.now() / 900_000) * 900_000);
  const data = { incidentId, userId: accused.id, source: "reporter", createdAt } as const;
  await prisma.incidentExclusion.create({ data });
  await grantAgain(world);
  expect(await listExcludedIds(incidentId)).toEqual([accused.id, reader.id].toSorted());
});

it("who declined an invitation to the team wasn't on it", async () => {
  const { eventId, accused, honest } = await createWorld();
  const data = { eventId, userId: (await createUser("Ida")).id, roleName: RESPONDER };
  const invitation = { ...data, pending: true, grantedById: accused.id };
  const { id } = await prisma.eventRole.create({ data: invitation });
  await prisma.eventRole.delete({ where: { id } });
  expect(await prisma.formerTeamMember.count({ where: { eventId } })).toBe(0);
  const accepted = await prisma.eventRole.create({ data: { ...data, grantedById: honest.id } });
  expect(accepted).toMatchObject({ grantedById: honest.id });
});

const WAYS_BACK_TO_NUMBERS: Way[] = [
  [
    "a member who is removed and added again",
    ({ context }) => removeMember(context),
    ({ context, reader }) => addMember(context, { userId: reader.id, role: "org_viewer" } as never),
  ],
  [
    "an admin of the organization who is made a viewer and an admin again",
    ({ context }) => changeMemberRole(context, { role: "org_viewer" }),
    ({ context }) => changeMemberRole(context, { role: "org_admin" }),
  ],
  [
    "a SystemAdmin who loses that role and gets it again",
    (world) => setSystemAdmin(world, false),
    (world) => setSystemAdmin(world, true),
  ],
];

it.each(WAYS_BACK_TO_NUMBERS)(
  "%s inherits only what was hidden in the meantime",
  async (name, leave, comeBack) => {
    const world = await createWorld();
    const { accused, reader, honest, organizationId, eventId, hideNewReport } = world;
    await prisma.eventRole.deleteMany({ where: { eventId, userId: reader.id } });
    await prisma.formerTeamMember.deleteMany();
    if (name.startsWith("an admin"))
      await prisma.organizationMember.updateMany({
        where: { organizationId, userId: reader.id },
        data: { role: "org_admin" },
      });
    if (name.startsWith("a SystemAdmin"))
      await prisma.user.update({ where: { id: reader.id }, data: { systemAdmin: true } });
    const before = await hideNewReport();
    await leave(world);
    await waitForNextMillisecond();
    const meanwhile = await hideNewReport();
    await comeBack(world);
    expect(await listExcludedIds(before)).toEqual([accused.id]);
    expect(await listExcludedIds(meanwhile)).toEqual([accused.id, reader.id].toSorted());
    const where = { organizationId, userId: reader.id };
    expect(await prisma.organizationMember.findMany({ where })).toMatchObject([{ addedById: honest.id }]);
  },
);

it("a viewer who came back and becomes an admin of the organization for the first time inherits what is hidden", async () => {
  const { accused, reader, eventId, context, hideNewReport } = await createWorld();
  await prisma.eventRole.deleteMany({ where: { eventId, userId: reader.id } });
  await prisma.formerTeamMember.deleteMany();
  const incidentId = await hideNewReport();
  await removeMember(context);
  await addMember(context, { userId: reader.id, role: "org_viewer" } as never);
  expect(await listExcludedIds(incidentId)).toEqual([accused.id]);
  await changeMemberRole(context, { role: "org_admin" });
  expect(await listExcludedIds(incidentId)).toEqual([accused.id, reader.id].toSorted());
});

it.each(["event", "organization"] as const)(
  "deleting the %s with its members leaves no record of former ones",
  async (deleted) => {
    const { organizationId, eventId } = await createWorld();
    if (deleted === "event") await prisma.event.delete({ where: { id: eventId } });
    else await prisma.organization.delete({ where: { id: organizationId } });
    expect(await prisma.formerTeamMember.count({ where: { eventId } })).toBe(0);
    expect(await prisma.formerOrganizationMember.count({ where: { organizationId } })).toBe(0);
  },
);

it("deleting the account of a team member leaves no record of them", async () => {
  const { reader } = await createWorld();
  await prisma.user.delete({ where: { id: reader.id } });
  expect(await prisma.formerTeamMember.count({ where: { userId: reader.id } })).toBe(0);
  expect(await prisma.formerOrganizationMember.count({ where: { userId: reader.id } })).toBe(0);
});

/** A person deletes their account, and registers again with the same address. */
async function comeBackWithNewAccount({ id, email }: Person): Promise<Person> {
  await runTransaction(async (tx) => {
    await storeExcludedEmailHash(tx, id, email);
    await tx.user.delete({ where: { id } });
  });
  const { id: newId } = await createUser();
  return prisma.user.update({ where: { id: newId }, data: { email } });
}

it.each([
  [
    "redeems an invite to the team",
    async (world: World, person: Person) =>
      redeem(await world.createInvite("Responder", world.honest), person),
  ],
  [
    "is added to the team by somebody who is excluded, too",
    ({ context }: World, { id: userId }: Person) =>
      grantRoleInEvent(context, { userId, roleName: "Responder" }),
  ],
  [
    "is added to the organization by somebody who is excluded, too",
    ({ context }: World, { id: userId }: Person) =>
      addMember(context, { userId, role: "org_viewer" } as never),
  ],
])("the reporter's exclusion of a deleted person who %s stays the reporter's", async (_, join) => {
  const world = await createWorld();
  const incidentId = await world.hideNewReport();
  await hide(incidentId, world.reader);
  const { id: userId, ...person } = await comeBackWithNewAccount(world.reader);
  await join(world, { id: userId, ...person });
  const where = { incidentId_userId: { incidentId, userId } };
  expect(await prisma.incidentExclusion.findUnique({ where })).toMatchObject({ source: "reporter" });
});
