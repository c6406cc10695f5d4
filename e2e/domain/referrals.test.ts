import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { letPersonInAgain } from "#lib/readers/hiding.ts";
import { createReaderListIfMissing } from "#lib/readers/lists.ts";
import { loadReaderSummary, listHiddenFromForActor } from "#lib/readers/queries.ts";
import { listIncidentsWithoutReader } from "#lib/readers/referral-queries.ts";
import { referIncidentsWithoutReader, unassignFormerEscalationContacts } from "#lib/readers/referrals.ts";
import { buildActorWithReferralAdminRole, type Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Hidden reports that lose their last reader (contract 16.7). The job runs every minute. */

type Member = { id: string };

async function createTeam() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [reader, excluded, contact] = [await createUser(), await createUser(), await createUser()];
  const founder = await createUser();
  for (const { id: userId } of [reader, excluded])
    await prisma.eventRole.create({ data: { eventId: event.id, userId, roleName: "Admin" } });
  const join = ({ id: userId }: Member, more: { role?: "org_admin" } = {}) =>
    prisma.organizationMember.create({
      data: { organizationId: organization.id, userId, role: "org_viewer", ...more },
    });
  const name = (person: Member | null) =>
    prisma.organization.update({
      where: { id: organization.id },
      data: { escalationContactId: person && person.id },
    });
  for (const admin of [founder, reader, excluded]) await join(admin, { role: "org_admin" });
  await join(contact);
  return { organization, event, reader, excluded, contact, join, name };
}

async function createHidden(
  eventId: string,
  from: Member,
  data: { reporterId?: string; createdAt?: Date } = {},
) {
  const { id } = await createIncident({ eventId, ...data });
  await runTransaction((tx) =>
    createReaderListIfMissing(tx, { incidentId: id, eventId }, { source: "reporter", byId: null }),
  );
  await prisma.incidentReader.upsert({
    where: { incidentId_userId: { incidentId: id, userId: from.id } },
    create: { access: "none", incidentId: id, userId: from.id, source: "reporter" },
    update: { access: "none", source: "reporter" },
  });
  return id;
}

const referTo = (incidentId: string, { id: userId }: Member) =>
  prisma.incidentReader.upsert({
    where: { incidentId_userId: { incidentId, userId } },
    create: { access: "full", source: "outside", incidentId, userId },
    update: { access: "full", source: "outside" },
  });

const listReferrals = async (incidentId: string) =>
  (await prisma.incidentReader.findMany({ where: { source: "outside", access: "full", incidentId } })).map(
    ({ userId }) => userId,
  );

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
    await referIncidentsWithoutReader();
    expect(await listReferrals(hidden)).toEqual([]);
    await lose(reader, event.id);
    expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
    await prisma.outboxEvent.deleteMany();
    await Promise.all([referIncidentsWithoutReader(), referIncidentsWithoutReader()]);
    expect(await listReferrals(hidden)).toEqual([contact.id]);
    expect(await listReferrals(open.id)).toEqual([]);
    expect((await loadReaderSummary(hidden)).hasReader).toBe(true);
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

it("goes to the contact of the moment when it was hidden, never to one named later", async () => {
  const { event, reader, excluded, contact, join, name } = await createTeam();
  const withoutContact = await createHidden(event.id, excluded);
  await name(contact);
  const withContact = await createHidden(event.id, excluded);
  const other = await createUser();
  await join(other);
  await name(other);
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referIncidentsWithoutReader();
  expect(await listReferrals(withoutContact)).toEqual([]);
  expect(await listReferrals(withContact)).toEqual([contact.id]);
});

it("doesn't go to a contact who reported it, or from whom it is hidden", async () => {
  const { event, excluded, contact, name } = await createTeam();
  await name(contact);
  const reported = await createHidden(event.id, excluded, { reporterId: contact.id });
  const hidden = await createHidden(event.id, contact);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id } });
  const other = await createHidden(event.id, excluded);
  await referIncidentsWithoutReader();
  for (const id of [reported, hidden]) expect(await listReferrals(id)).toEqual([]);
  expect(await listReferrals(other)).toEqual([contact.id]);
});

it("from which only people stepped aside goes to today's contact", async () => {
  const { event, reader, excluded, contact, name } = await createTeam();
  const { id: incidentId } = await createIncident({ eventId: event.id });
  for (const { id: userId } of [reader, excluded])
    await prisma.incidentReader.create({ data: { incidentId, userId, access: "none", source: "recusal" } });
  await referIncidentsWithoutReader();
  expect(await listReferrals(incidentId)).toEqual([]);
  await name(contact);
  await referIncidentsWithoutReader();
  expect(await listReferrals(incidentId)).toEqual([contact.id]);
});

it("keeps a report with readers whose role is withheld for now", async () => {
  const { organization, event, excluded, contact, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.organization.update({ where: { id: organization.id }, data: { requireSecondFactor: true } });
  await referIncidentsWithoutReader();
  expect([await listReferrals(hidden), (await loadReaderSummary(hidden)).hasReader]).toEqual([[], false]);
});

it("has no reader while the membership of its contact is pending or withheld", async () => {
  const { organization, event, reader, excluded, contact } = await createTeam();
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
  await referTo(hidden, contact);
  expect((await loadReaderSummary(hidden)).hasReader).toBe(true);
  const change = (data: { pending?: boolean; requireSecondFactor?: boolean }) =>
    data.pending === undefined
      ? prisma.organization.update({ where: { id: organization.id }, data })
      : prisma.organizationMember.updateMany({ where: { userId: contact.id }, data });
  await change({ pending: true });
  expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
  await change({ pending: false });
  await change({ requireSecondFactor: true });
  expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
});

/** A report that is referred and assigned to the contact. */
async function createAssigned(team: Awaited<ReturnType<typeof createTeam>>) {
  await team.name(team.contact);
  const hidden = await createHidden(team.event.id, team.excluded);
  await referTo(hidden, team.contact);
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
] as const)("a contact's incidents are unassigned when the contact %s", async (_, lose) => {
  const team = await createTeam();
  const { hidden, findAssignee } = await createAssigned(team);
  await unassignFormerEscalationContacts(null);
  expect(await findAssignee()).toBe(team.contact.id);
  await lose(team.contact.id);
  await Promise.all([unassignFormerEscalationContacts(null), unassignFormerEscalationContacts(null)]);
  expect(await findAssignee()).toBeNull();
  const history = await prisma.incidentHistory.findMany({
    where: { incidentId: hidden, action: "assignee" },
  });
  expect(history).toMatchObject([{ actorId: null, fromValue: team.contact.id, toValue: null }]);
});

it("a replaced contact's incidents are unassigned once, unless the contact is on the team", async () => {
  const team = await createTeam();
  const { assign, findAssignee } = await createAssigned(team);
  const replaced = { organizationId: team.organization.id, userId: team.contact.id };
  await unassignFormerEscalationContacts({ ...replaced, organizationId: (await createOrganization()).id });
  expect(await findAssignee()).toBe(team.contact.id);
  expect(await unassignFormerEscalationContacts(replaced)).toBe(1);
  expect(await findAssignee()).toBeNull();
  await assign();
  await unassignFormerEscalationContacts(null);
  expect(await findAssignee()).toBe(team.contact.id);
  await prisma.eventRole.create({
    data: { eventId: team.event.id, userId: team.contact.id, roleName: "Responder" },
  });
  await unassignFormerEscalationContacts(replaced);
  expect(await findAssignee()).toBe(team.contact.id);
});

it("a contact lifts what the team and recused people decided on a referred report, but not what its reporter did", async () => {
  const { organization, event, reader, excluded, contact, name } = await createTeam();
  await name(contact);
  const [incidentId, other] = [
    await createHidden(event.id, excluded),
    await createHidden(event.id, excluded),
  ];
  const recused = await createUser();
  const hide = (id: string, { id: userId }: Member, source: "team" | "recusal") =>
    prisma.incidentReader.upsert({
      where: { incidentId_userId: { incidentId: id, userId } },
      create: { incidentId: id, userId, access: "none", source },
      update: { access: "none", source },
    });
  await hide(incidentId, reader, "team");
  await hide(incidentId, recused, "recusal");
  await hide(other, reader, "team");
  await referTo(incidentId, contact);
  const place = { eventId: event.id, organizationId: organization.id, slug: event.slug };
  const member = {
    id: contact.id,
    systemAdmin: false,
    organizations: [],
    events: [],
    referrals: [{ ...place, incidentId }],
  } as unknown as Actor;
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = buildActorWithReferralAdminRole(member, { incidentId, eventId: event.id });
  const contextOf = (id: string) =>
    ({ ...place, actor, right: "escalationContact", call, incidentId: id, reporterId: null }) as never;
  const lift = ({ id }: Member, from = incidentId) => letPersonInAgain(contextOf(from), id);
  const { hiddenFrom } = await listHiddenFromForActor(contextOf(incidentId));
  expect(new Map(hiddenFrom.map(({ person, canLetIn }) => [person?.id, canLetIn]))).toEqual(
    new Map([
      [excluded.id, false],
      [reader.id, true],
      [recused.id, true],
    ]),
  );
  await lift(reader);
  await lift(recused);
  await expect(lift(excluded)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(lift(reader, other)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const left = await prisma.incidentReader.findMany({ where: { access: "none", incidentId } });
  expect(left.map(({ userId }) => userId)).toEqual([excluded.id]);
});

it("a SystemAdmin without the required second factor lists no hidden report", async () => {
  const { organization, event, reader, excluded: system } = await createTeam();
  await prisma.user.update({ where: { id: system.id }, data: { systemAdmin: true } });
  const unread = await createHidden(event.id, reader);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id } });
  const open = { id: system.id, systemAdmin: true, organizations: [], events: [] };
  const closed = { openEvents: new Set(), organizations: new Set([organization.id]) };
  const listAs = async (actor: object) =>
    (await listIncidentsWithoutReader(actor as unknown as Actor)).some(({ id }) => id === unread);
  expect([await listAs({ ...open, closed }), await listAs(open)]).toEqual([false, true]);
});
