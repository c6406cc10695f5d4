import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { confirmEmailAsOperator } from "#lib/accounts/email-verification.ts";
import { setUserEmailAndNotifyFormer } from "#lib/accounts/identity.ts";
import { issuePasswordResetLink, resetPassword } from "#lib/accounts/reset.ts";
import { generateInviteCode } from "#lib/crypto/random-code.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import { waitForNextMillisecond } from "#e2e/support/distinct-times.ts";

/**
 * Exclusions of people whose roles were withheld until they verified their address, so that nobody could exclude them
 * (contract 16.3, docs/decisions/058).
 */

ensureSessionSecret(env());

const { PASSWORD_COST, verifiesEmail } = env();
beforeAll(() => void Object.assign(env(), { PASSWORD_COST: 5, verifiesEmail: true }));
afterAll(() => void Object.assign(env(), { PASSWORD_COST, verifiesEmail }));

type Person = { id: string; email: string };

/** An Admin who is accused later, an honest one, and an account without a verified address. */
async function createWorld() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [accused, honest, late] = [
    await createUser("Ada"),
    await createUser("Berta"),
    await createUser("Carl"),
  ];
  await prisma.eventRole.create({ data: { eventId: event.id, userId: honest.id, roleName: "Admin" } });
  await prisma.eventRole.create({
    data: { eventId: event.id, userId: accused.id, roleName: "Admin", grantedById: honest.id },
  });
  await setVerified(late, false);
  return { organizationId: organization.id, eventId: event.id, accused, honest, late };
}

type World = Awaited<ReturnType<typeof createWorld>>;

const setVerified = ({ id }: Person, verified: boolean) =>
  prisma.user.update({ where: { id }, data: { emailVerifiedAt: verified ? new Date() : null } });

const giveRole = ({ eventId, late }: World, { id: grantedById }: Person) =>
  prisma.eventRole.create({ data: { eventId, userId: late.id, roleName: "Responder", grantedById } });

async function joinByInvite({ organizationId, eventId, late }: World, { id: createdById }: Person) {
  const code = generateInviteCode();
  await prisma.invite.create({ data: { organizationId, eventId, role: "Responder", createdById, code } });
  await runTransaction((tx) => redeemInvite(tx, { code, userId: late.id, requestId: randomUUID() }));
}

const hide = (incidentId: string, { id: userId }: Person, source: "reporter" | "recusal" = "reporter") =>
  prisma.incidentExclusion.create({ data: { incidentId, userId, source } });

async function hideNewReport({ eventId }: World, person: Person, source?: "recusal") {
  await waitForNextMillisecond();
  const { id } = await createIncident({ eventId });
  await hide(id, person, source);
  await waitForNextMillisecond();
  return id;
}

const verify = ({ late }: World) => confirmEmailAsOperator(late.email);

const findHiddenIds = async ({ late }: World) => (await findActorById(late.id))?.hiddenIncidentIds;

const WAYS_TO_VERIFY: [string, (world: World) => Promise<unknown>][] = [
  ["is confirmed", verify],
  [
    "is proved with a reset of the password",
    async ({ late }) => {
      const link = await issuePasswordResetLink(late.email);
      const token = new URL(link?.url ?? "").searchParams.get("token") ?? "";
      const call = { requestId: randomUUID(), address: "192.0.2.1" };
      await resetPassword({ token, newPassword: "seven small lanterns" }, call);
    },
  ],
  [
    "is replaced by a confirmed one",
    ({ late: { id: userId } }) =>
      runTransaction((tx) =>
        setUserEmailAndNotifyFormer(
          tx,
          { link: "emailChange" },
          { userId, email: `${userId}@example.org`, verified: true },
        ),
      ),
  ],
];

describe("a Responder who joined with an invite of somebody from whom a report is hidden later", () => {
  it.each(WAYS_TO_VERIFY)("doesn't read it once the address %s", async (_, verifyAddress) => {
    const world = await createWorld();
    await joinByInvite(world, world.accused);
    const incidentId = await hideNewReport(world, world.accused);
    await verifyAddress(world);
    const actor = await findActorById(world.late.id);
    expect(actor?.events).toMatchObject([{ eventId: world.eventId, roles: ["Responder"] }]);
    expect(actor?.hiddenIncidentIds).toEqual([incidentId]);
  });
});

it.each([
  ["the Admin who gave the role", giveRole],
  ["an Admin who may know the invite", (world: World) => joinByInvite(world, world.honest)],
])("a late verification passes on what is hidden from %s", async (_, join) => {
  const world = await createWorld();
  await join(world, world.accused);
  const incidentId = await hideNewReport(world, world.accused);
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([incidentId]);
});

it("a late verification passes on what is hidden from the people behind whoever gave the role, if it was hidden since", async () => {
  const world = await createWorld();
  const { eventId, accused } = world;
  await hideNewReport(world, accused);
  const middle = await createUser("Mia");
  await prisma.eventRole.create({
    data: { eventId, userId: middle.id, roleName: "Admin", grantedById: accused.id },
  });
  await giveRole(world, middle);
  const later = await hideNewReport(world, accused);
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([later]);
});

it("a SystemAdmin who verifies late doesn't see what is hidden from whoever made them one", async () => {
  const world = await createWorld();
  const { accused, late } = world;
  const data = { systemAdmin: true, systemAdminThroughIds: [accused.id] };
  await prisma.user.update({ where: { id: late.id }, data });
  const incidentId = await hideNewReport(world, accused);
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([incidentId]);
});

it("a late verification passes on nothing that is hidden from others, nor a recusal by somebody who didn't give the role", async () => {
  const world = await createWorld();
  await giveRole(world, world.honest);
  await hideNewReport(world, world.accused);
  await hideNewReport(world, world.accused, "recusal");
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([]);
});

it("who has to verify a new address keeps the reports that they opened or are assigned to before", async () => {
  const world = await createWorld();
  const { eventId, accused, late } = world;
  await giveRole(world, accused);
  const [opened, assigned, unknown] = [
    await hideNewReport(world, accused),
    await hideNewReport(world, accused),
    await hideNewReport(world, accused),
  ];
  const view = { incidentId: opened, eventId, actorId: late.id, kind: "view", byRight: "event:Responder" };
  await prisma.incidentAccess.create({ data: view });
  await prisma.incident.update({ where: { id: assigned }, data: { assignedResponderId: late.id } });
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([unknown]);
});

it("who changes a verified address inherits nothing, nor does anybody where addresses aren't verified", async () => {
  const world = await createWorld();
  await giveRole(world, world.accused);
  await hideNewReport(world, world.accused);
  Object.assign(env(), { verifiesEmail: false });
  await verify(world).finally(() => Object.assign(env(), { verifiesEmail: true }));
  const { id: userId } = world.late;
  const change = { userId, email: `${userId}@example.org`, verified: true };
  await runTransaction((tx) => setUserEmailAndNotifyFormer(tx, { link: "emailChange" }, change));
  expect(await findHiddenIds(world)).toEqual([]);
});

it("a late verification doesn't bring back an exclusion that was lifted", async () => {
  const world = await createWorld();
  const incidentId = await hideNewReport(world, world.accused);
  await joinByInvite(world, world.honest);
  const { id: userId } = world.late;
  expect(await prisma.incidentExclusion.deleteMany({ where: { incidentId, userId } })).toEqual({ count: 1 });
  await prisma.incidentHistory.create({
    data: {
      incidentId,
      eventId: world.eventId,
      actorId: world.honest.id,
      action: "exclusionLifted",
      fromValue: userId,
    },
  });
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([]);
});

it("the first verifications of an installation pass on nothing that was hidden before", async () => {
  const world = await createWorld();
  await joinByInvite(world, world.honest);
  await hideNewReport(world, world.accused);
  const verified = await prisma.user.findMany({
    where: { emailVerifiedAt: { not: null } },
    select: { id: true },
  });
  await prisma.user.updateMany({ data: { emailVerifiedAt: null } });
  await verify({ ...world, late: world.honest });
  await verify(world);
  expect(await findHiddenIds(world)).toEqual([]);
  await prisma.user.updateMany({
    where: { id: { in: verified.map(({ id }) => id) } },
    data: { emailVerifiedAt: new Date() },
  });
});
