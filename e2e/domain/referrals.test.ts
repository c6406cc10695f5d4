import { expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { hasReader } from "#lib/exclusions/queries.ts";
import { referUnread, releaseFormerContacts } from "#lib/exclusions/referrals.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Hidden reports that lose their last reader (contract 16.7). The job runs every minute. */

type Member = { id: string };

async function createTeam() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [reader, excluded, contact] = [await createUser(), await createUser(), await createUser()];
  for (const { id: userId } of [reader, excluded])
    await prisma.eventRole.create({ data: { eventId: event.id, userId, roleName: "Admin" } });
  await prisma.organizationMember.create({
    data: { organizationId: organization.id, userId: contact.id, role: "org_viewer" },
  });
  const name = (person: Member | null) =>
    prisma.organization.update({
      where: { id: organization.id },
      data: { escalationContactId: person && person.id },
    });
  return { organization, event, reader, excluded, contact, name };
}

async function createHidden(eventId: string, from: Member, data: { reporterId?: string } = {}) {
  const { id } = await createIncident({ eventId, ...data });
  await prisma.incidentExclusion.create({
    data: { incidentId: id, userId: from.id, source: "reporter" },
  });
  return id;
}

const listReferrals = async (incidentId: string) =>
  (await prisma.incidentReferral.findMany({ where: { incidentId } })).map(({ userId }) => userId);

const WAYS_TO_LOSE_A_READER: [string, (person: Member, eventId: string) => Promise<unknown>][] = [
  ["leaves the team", ({ id }, eventId) => prisma.eventRole.deleteMany({ where: { eventId, userId: id } })],
  [
    "becomes a Reporter",
    ({ id }, eventId) =>
      prisma.eventRole.updateMany({ where: { eventId, userId: id }, data: { roleName: "Reporter" } }),
  ],
  ["is disabled", ({ id }) => prisma.user.update({ where: { id }, data: { disabledAt: new Date() } })],
  ["is deleted", ({ id }) => prisma.user.delete({ where: { id } })],
];

it.each(WAYS_TO_LOSE_A_READER)(
  "a hidden report goes to the escalation contact, once, when its last reader %s",
  async (_, lose) => {
    const { organization, event, reader, excluded, contact, name } = await createTeam();
    await name(contact);
    const [hidden, open] = [
      await createHidden(event.id, excluded),
      await createIncident({ eventId: event.id }),
    ];
    await referUnread();
    expect(await listReferrals(hidden)).toEqual([]);
    await lose(reader, event.id);
    expect(await hasReader(hidden)).toBe(false);
    await prisma.outboxEvent.deleteMany();
    await Promise.all([referUnread(), referUnread()]);
    expect(await listReferrals(hidden)).toEqual([contact.id]);
    expect(await listReferrals(open.id)).toEqual([]);
    expect(await hasReader(hidden)).toBe(true);
    const events = await prisma.outboxEvent.findMany({ where: { eventId: event.id } });
    expect(events).toMatchObject([{ kind: "incident.created", incidentId: hidden, actorId: null }]);
    const entries = await sql.$queryRaw<unknown[]>`
      select chain, action, data from audit_entries where object_id = ${hidden}::uuid`;
    expect(entries).toEqual([{ chain: "system", action: "incident.refer", data: { userId: contact.id } }]);
    const own = await sql.$queryRaw<unknown[]>`
      select 1 from audit_entries where chain = ${organization.id} and action = 'incident.refer'`;
    expect(own).toEqual([]);
  },
);

it("waits for a contact who may read the report, and finds them when one is named later", async () => {
  const { organization, event, reader, excluded, contact, name } = await createTeam();
  const hidden = await createHidden(event.id, excluded, { reporterId: contact.id });
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referUnread();
  // The excluded Admin, and the reporter, don't become its reader.
  await prisma.organizationMember.create({
    data: { organizationId: organization.id, userId: excluded.id, role: "org_admin" },
  });
  for (const person of [null, excluded, contact]) {
    await name(person);
    await referUnread();
    expect(await listReferrals(hidden)).toEqual([]);
  }
  const other = await createUser();
  await prisma.organizationMember.create({
    data: { organizationId: organization.id, userId: other.id, role: "org_viewer" },
  });
  await name(other);
  await referUnread();
  expect(await listReferrals(hidden)).toEqual([other.id]);
});

it("goes on to the next contact when the one who read it leaves the organization", async () => {
  const { organization, event, reader, excluded, contact, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referUnread();
  const next = await createUser();
  await prisma.organizationMember.create({
    data: { organizationId: organization.id, userId: next.id, role: "org_viewer" },
  });
  await name(next);
  await referUnread();
  expect(await listReferrals(hidden)).toEqual([contact.id]);
  await prisma.organizationMember.deleteMany({ where: { userId: contact.id } });
  await referUnread();
  expect((await listReferrals(hidden)).toSorted()).toEqual([contact.id, next.id].toSorted());
});

it("keeps a report with readers whose role is withheld for now", async () => {
  const { organization, event, excluded, contact, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.organization.update({ where: { id: organization.id }, data: { requireSecondFactor: true } });
  await referUnread();
  expect([await listReferrals(hidden), await hasReader(hidden)]).toEqual([[], false]);
});

/** A report that is referred and assigned to the contact. */
async function createAssigned(team: Awaited<ReturnType<typeof createTeam>>) {
  await team.name(team.contact);
  const hidden = await createHidden(team.event.id, team.excluded);
  await prisma.incidentReferral.create({ data: { incidentId: hidden, userId: team.contact.id } });
  const assign = () =>
    prisma.incident.update({ where: { id: hidden }, data: { assignedResponderId: team.contact.id } });
  await assign();
  const findAssignee = async () =>
    (await prisma.incident.findUniqueOrThrow({ where: { id: hidden } })).assignedResponderId;
  return { hidden, assign, findAssignee };
}

it.each([
  ["leaves", (userId: string) => prisma.organizationMember.deleteMany({ where: { userId } })],
  ["is disabled", (id: string) => prisma.user.update({ where: { id }, data: { disabledAt: new Date() } })],
] as const)("what a contact works on is unassigned when the contact %s", async (_, lose) => {
  const team = await createTeam();
  const { hidden, findAssignee } = await createAssigned(team);
  await releaseFormerContacts(null);
  expect(await findAssignee()).toBe(team.contact.id);
  await lose(team.contact.id);
  await Promise.all([releaseFormerContacts(null), releaseFormerContacts(null)]);
  expect(await findAssignee()).toBeNull();
  const history = await prisma.incidentHistory.findMany({
    where: { incidentId: hidden, action: "assignee" },
  });
  expect(history).toMatchObject([{ actorId: null, fromValue: team.contact.id, toValue: null }]);
});

it("what a replaced contact works on is unassigned once, unless they are on the team", async () => {
  const team = await createTeam();
  const { assign, findAssignee } = await createAssigned(team);
  const replaced = { organizationId: team.organization.id, userId: team.contact.id };
  await releaseFormerContacts({ ...replaced, organizationId: (await createOrganization()).id });
  expect(await findAssignee()).toBe(team.contact.id);
  expect(await releaseFormerContacts(replaced)).toBe(1);
  expect(await findAssignee()).toBeNull();
  await assign();
  await releaseFormerContacts(null);
  expect(await findAssignee()).toBe(team.contact.id);
  await prisma.eventRole.create({
    data: { eventId: team.event.id, userId: team.contact.id, roleName: "Responder" },
  });
  await releaseFormerContacts(replaced);
  expect(await findAssignee()).toBe(team.contact.id);
});
