import { describe, expect, it } from "vitest";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import { prisma } from "#lib/database/client.ts";
import { leaveEvent } from "#lib/events/leave.ts";
import { changeEventUser, removeEventUser, revokeRoleInEvent } from "#lib/events/roles.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { changeMemberRole, removeMember } from "#lib/organizations/members.ts";
import { deleteCurrentUserAccount } from "#lib/own-account/deletion.ts";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";

/** The last admin stays, unless another one can use their role (contract 2.6). */

const PASSWORD = "correct horse battery";
const LAST_ADMIN = { code: "LAST_ADMIN" };

/** An organization and its event, where two people are admins and have a second factor. */
async function createAdministered() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [actor, other] = [await createUser("Ada Admin"), await createUser("Ben Admin")];
  const passwordHash = await hashPassword(PASSWORD, createLaneForUser(actor.id));
  await prisma.user.update({ where: { id: actor.id }, data: { passwordHash } });
  for (const { id: userId } of [actor, other]) {
    await prisma.eventRole.create({ data: { eventId: event.id, userId, roleName: "Admin" } });
    await prisma.organizationMember.create({
      data: { organizationId: organization.id, userId, role: "org_admin" },
    });
  }
  return { organizationId: organization.id, eventId: event.id, actor, other };
}

type Administered = Awaited<ReturnType<typeof createAdministered>>;

const toContext = ({ organizationId, eventId, actor }: Administered) => ({
  organizationId,
  eventId,
  userId: actor.id,
  actor: {
    id: actor.id,
    email: actor.email,
    name: actor.name,
    sessionId: "session",
    systemAdmin: false,
    organizations: [],
    events: [],
  } as unknown as Actor,
  right: "event:Admin",
  call: { requestId: "00000000-0000-4000-8000-000000000000", ifMatch: null } as OperationCall,
});

const WAYS: [string, (place: Administered) => Promise<unknown>][] = [
  ["leaves the event", (place) => leaveEvent(toContext(place), place.eventId)],
  [
    "revokes their own role",
    (place) => revokeRoleInEvent(toContext(place), { userId: place.actor.id, roleName: "Admin" }),
  ],
  [
    "takes another role in the event",
    (place) => {
      const { name, email } = place.actor;
      return changeEventUser(toContext(place), { name, email, role: "Responder" });
    },
  ],
  ["removes themselves from the event", (place) => removeEventUser(toContext(place))],
  [
    "takes another role in the organization",
    (place) => changeMemberRole(toContext(place), { role: "org_viewer" }),
  ],
  ["leaves the organization", (place) => removeMember(toContext(place))],
];

const REASONS: [
  string,
  (place: Administered) => Promise<unknown>,
  (place: Administered) => Promise<unknown>,
][] = [
  [
    "the other's account is disabled",
    ({ other }) => prisma.user.update({ where: { id: other.id }, data: { disabledAt: new Date() } }),
    ({ other }) => prisma.user.update({ where: { id: other.id }, data: { disabledAt: null } }),
  ],
  [
    "the other lacks the second factor that the organization requires",
    async ({ organizationId, actor, other }) => {
      await prisma.organization.update({
        where: { id: organizationId },
        data: { requireSecondFactor: true },
      });
      for (const [{ id: userId }, confirmedAt] of [
        [actor, new Date()],
        [other, null],
      ] as const)
        await prisma.secondFactor.create({ data: { userId, secret: Buffer.from("-"), confirmedAt } });
    },
    ({ other }) =>
      prisma.secondFactor.update({ where: { userId: other.id }, data: { confirmedAt: new Date() } }),
  ],
];

describe.each(REASONS)("when %s, the admin who is left", (_reason, withhold, restore) => {
  it.each(WAYS)("can't be the one who %s, until the other can use their role", async (_way, leave) => {
    const place = await createAdministered();
    await withhold(place);
    await expect(leave(place)).rejects.toMatchObject(LAST_ADMIN);
    await restore(place);
    await leave(place);
  });
});

it("an account isn't deleted while the other admin's is disabled", async () => {
  const place = await createAdministered();
  const end = () =>
    deleteCurrentUserAccount(toContext(place), { currentPassword: PASSWORD, code: undefined });
  const [, disable, enable] = REASONS[0]!;
  await disable(place);
  await expect(end()).rejects.toMatchObject(LAST_ADMIN);
  await prisma.organizationMember.deleteMany({ where: { userId: place.actor.id } });
  await expect(end()).rejects.toMatchObject(LAST_ADMIN);
  await enable(place);
  await end();
  expect(await prisma.user.count({ where: { id: place.actor.id } })).toBe(0);
});

it("an Admin whose own role is withheld doesn't leave an event without any", async () => {
  const place = await createAdministered();
  await prisma.eventRole.deleteMany({ where: { userId: place.other.id } });
  await prisma.organization.update({
    where: { id: place.organizationId },
    data: { requireSecondFactor: true },
  });
  await expect(leaveEvent(toContext(place), place.eventId)).rejects.toMatchObject(LAST_ADMIN);
});
