import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { letPersonInAgain } from "#lib/readers/hiding.ts";
import { createReaderListIfMissing } from "#lib/readers/lists.ts";
import { loadReaderSummary, listHiddenFromForActor } from "#lib/readers/queries.ts";
import { listIncidentsWithoutReader } from "#lib/readers/outside-person-queries.ts";
import { letOutsidePeopleIn, unassignFormerOutsidePeople } from "#lib/readers/outside-person.ts";
import { buildActorAsOutsidePerson, type Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Hidden reports that lose their last reader (contract 16.7). The job runs every minute. */

type Member = { id: string };

async function createTeam() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [reader, excluded, outsidePerson] = [await createUser(), await createUser(), await createUser()];
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
      data: { outsidePersonId: person && person.id },
    });
  for (const admin of [founder, reader, excluded]) await join(admin, { role: "org_admin" });
  await join(outsidePerson);
  return { organization, event, reader, excluded, outsidePerson, join, name };
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

const passTo = (incidentId: string, { id: userId }: Member) =>
  prisma.incidentReader.upsert({
    where: { incidentId_userId: { incidentId, userId } },
    create: { access: "full", source: "outside", incidentId, userId },
    update: { access: "full", source: "outside" },
  });

const listOutsideReaders = async (incidentId: string) =>
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
  "a hidden report goes to the outside person, once, when its last reader %s",
  async (_, lose) => {
    const { organization, event, reader, excluded, outsidePerson, name } = await createTeam();
    await name(outsidePerson);
    const [hidden, open] = [
      await createHidden(event.id, excluded),
      await createIncident({ eventId: event.id }),
    ];
    await letOutsidePeopleIn();
    expect(await listOutsideReaders(hidden)).toEqual([]);
    await lose(reader, event.id);
    expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
    await prisma.outboxEvent.deleteMany();
    await Promise.all([letOutsidePeopleIn(), letOutsidePeopleIn()]);
    expect(await listOutsideReaders(hidden)).toEqual([outsidePerson.id]);
    expect(await listOutsideReaders(open.id)).toEqual([]);
    expect((await loadReaderSummary(hidden)).hasReader).toBe(true);
    const events = await prisma.outboxEvent.findMany({ where: { eventId: event.id } });
    expect(events).toMatchObject([{ kind: "incident.created", incidentId: hidden, actorId: null }]);
    const entries = await sql.$queryRaw<unknown[]>`
      select chain, action, data from audit_entries where object_id = ${hidden}::uuid`;
    expect(entries).toEqual([
      { chain: "system", action: "incident.letOutsidePersonIn", data: { userId: outsidePerson.id } },
    ]);
    const own = await sql.$queryRaw<unknown[]>`
      select 1 from audit_entries where chain = ${organization.id} and action = 'incident.letOutsidePersonIn'`;
    expect(own).toEqual([]);
  },
);

it("goes to the outside person of the moment when it was hidden, never to one named later", async () => {
  const { event, reader, excluded, outsidePerson, join, name } = await createTeam();
  const withoutOutsidePerson = await createHidden(event.id, excluded);
  await name(outsidePerson);
  const withOutsidePerson = await createHidden(event.id, excluded);
  const other = await createUser();
  await join(other);
  await name(other);
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await letOutsidePeopleIn();
  expect(await listOutsideReaders(withoutOutsidePerson)).toEqual([]);
  expect(await listOutsideReaders(withOutsidePerson)).toEqual([outsidePerson.id]);
});

it("doesn't go to an outside person who reported it, or from whom it is hidden", async () => {
  const { event, excluded, outsidePerson, name } = await createTeam();
  await name(outsidePerson);
  const reported = await createHidden(event.id, excluded, { reporterId: outsidePerson.id });
  const hidden = await createHidden(event.id, outsidePerson);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id } });
  const other = await createHidden(event.id, excluded);
  await letOutsidePeopleIn();
  for (const id of [reported, hidden]) expect(await listOutsideReaders(id)).toEqual([]);
  expect(await listOutsideReaders(other)).toEqual([outsidePerson.id]);
});

it("from which only people stepped aside goes to today's outside person", async () => {
  const { event, reader, excluded, outsidePerson, name } = await createTeam();
  const { id: incidentId } = await createIncident({ eventId: event.id });
  for (const { id: userId } of [reader, excluded])
    await prisma.incidentReader.create({ data: { incidentId, userId, access: "none", source: "self" } });
  await letOutsidePeopleIn();
  expect(await listOutsideReaders(incidentId)).toEqual([]);
  await name(outsidePerson);
  await letOutsidePeopleIn();
  expect(await listOutsideReaders(incidentId)).toEqual([outsidePerson.id]);
});

it("keeps a report with readers whose role is withheld for now", async () => {
  const { organization, event, excluded, outsidePerson, name } = await createTeam();
  await name(outsidePerson);
  const hidden = await createHidden(event.id, excluded);
  await prisma.organization.update({ where: { id: organization.id }, data: { requireSecondFactor: true } });
  await letOutsidePeopleIn();
  expect([await listOutsideReaders(hidden), (await loadReaderSummary(hidden)).hasReader]).toEqual([
    [],
    false,
  ]);
});

it("has no reader while the membership of its outside person is pending or withheld", async () => {
  const { organization, event, reader, excluded, outsidePerson } = await createTeam();
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
  await passTo(hidden, outsidePerson);
  expect((await loadReaderSummary(hidden)).hasReader).toBe(true);
  const change = (data: { pending?: boolean; requireSecondFactor?: boolean }) =>
    data.pending === undefined
      ? prisma.organization.update({ where: { id: organization.id }, data })
      : prisma.organizationMember.updateMany({ where: { userId: outsidePerson.id }, data });
  await change({ pending: true });
  expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
  await change({ pending: false });
  await change({ requireSecondFactor: true });
  expect((await loadReaderSummary(hidden)).hasReader).toBe(false);
});

/** A report that goes to and is assigned to the outside person. */
async function createAssigned(team: Awaited<ReturnType<typeof createTeam>>) {
  await team.name(team.outsidePerson);
  const hidden = await createHidden(team.event.id, team.excluded);
  await passTo(hidden, team.outsidePerson);
  const assign = () =>
    prisma.incident.update({ where: { id: hidden }, data: { assignedResponderId: team.outsidePerson.id } });
  await assign();
  const findAssignee = async () =>
    (await prisma.incident.findUniqueOrThrow({ where: { id: hidden } })).assignedResponderId;
  return { hidden, assign, findAssignee };
}

it.each([
  ["leaves", (userId: string) => prisma.organizationMember.deleteMany({ where: { userId } })],
  ["is disabled", (id: string) => prisma.user.update({ where: { id }, data: { disabledAt: new Date() } })],
] as const)("an outside person's incidents are unassigned when the outside person %s", async (_, lose) => {
  const team = await createTeam();
  const { hidden, findAssignee } = await createAssigned(team);
  await unassignFormerOutsidePeople(null);
  expect(await findAssignee()).toBe(team.outsidePerson.id);
  await lose(team.outsidePerson.id);
  await Promise.all([unassignFormerOutsidePeople(null), unassignFormerOutsidePeople(null)]);
  expect(await findAssignee()).toBeNull();
  const history = await prisma.incidentHistory.findMany({
    where: { incidentId: hidden, action: "assignee" },
  });
  expect(history).toMatchObject([{ actorId: null, fromValue: team.outsidePerson.id, toValue: null }]);
});

it("a replaced outside person's incidents are unassigned once, unless the outside person is on the team", async () => {
  const team = await createTeam();
  const { assign, findAssignee } = await createAssigned(team);
  const replaced = { organizationId: team.organization.id, userId: team.outsidePerson.id };
  await unassignFormerOutsidePeople({ ...replaced, organizationId: (await createOrganization()).id });
  expect(await findAssignee()).toBe(team.outsidePerson.id);
  expect(await unassignFormerOutsidePeople(replaced)).toBe(1);
  expect(await findAssignee()).toBeNull();
  await assign();
  await unassignFormerOutsidePeople(null);
  expect(await findAssignee()).toBe(team.outsidePerson.id);
  await prisma.eventRole.create({
    data: { eventId: team.event.id, userId: team.outsidePerson.id, roleName: "Responder" },
  });
  await unassignFormerOutsidePeople(replaced);
  expect(await findAssignee()).toBe(team.outsidePerson.id);
});

it("an outside person lets in who stepped out and from whom the team hid the report, but nobody from whom its reporter did", async () => {
  const { organization, event, reader, excluded, outsidePerson, name } = await createTeam();
  await name(outsidePerson);
  const [incidentId, other] = [
    await createHidden(event.id, excluded),
    await createHidden(event.id, excluded),
  ];
  const steppedOut = await createUser();
  const hide = (id: string, { id: userId }: Member, source: "team" | "self") =>
    prisma.incidentReader.upsert({
      where: { incidentId_userId: { incidentId: id, userId } },
      create: { incidentId: id, userId, access: "none", source },
      update: { access: "none", source },
    });
  await hide(incidentId, reader, "team");
  await hide(incidentId, steppedOut, "self");
  await hide(other, reader, "team");
  await passTo(incidentId, outsidePerson);
  const place = { eventId: event.id, organizationId: organization.id, slug: event.slug };
  const member = {
    id: outsidePerson.id,
    systemAdmin: false,
    organizations: [],
    events: [],
    outsideIncidents: [{ ...place, incidentId }],
  } as unknown as Actor;
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = buildActorAsOutsidePerson(member, { incidentId, eventId: event.id });
  const contextOf = (id: string) =>
    ({ ...place, actor, right: "outsidePerson", call, incidentId: id, reporterId: null }) as never;
  const letIn = ({ id }: Member, from = incidentId) => letPersonInAgain(contextOf(from), id);
  const { hiddenFrom } = await listHiddenFromForActor(contextOf(incidentId));
  expect(new Map(hiddenFrom.map(({ person, canLetIn }) => [person?.id, canLetIn]))).toEqual(
    new Map([
      [excluded.id, false],
      [reader.id, true],
      [steppedOut.id, true],
    ]),
  );
  await letIn(reader);
  await letIn(steppedOut);
  await expect(letIn(excluded)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(letIn(reader, other)).rejects.toMatchObject({ code: "NOT_FOUND" });
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
