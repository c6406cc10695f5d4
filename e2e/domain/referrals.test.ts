import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { breakGlass } from "#lib/exclusions/break-glass.ts";
import { liftExclusion } from "#lib/exclusions/exclusions.ts";
import {
  hasIncidentReaderBesidesReporter,
  listIncidentExclusionsForActor,
  listIncidentsWithoutReader,
} from "#lib/exclusions/queries.ts";
import { referIncidentsWithoutReader, unassignFormerEscalationContacts } from "#lib/exclusions/referrals.ts";
import { buildActorWithReferralAdminRole, type Actor } from "#lib/operation/policy.ts";
import { inheritExclusionsOfGrantorSql } from "#lib/access/hidden-sql.ts";
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
  const join = ({ id: userId }: Member, namedBy: Member | null = founder, more = {}) =>
    prisma.organizationMember.create({
      data: {
        organizationId: organization.id,
        userId,
        role: "org_viewer",
        addedById: namedBy && namedBy.id,
        ...more,
      },
    });
  const name = (person: Member | null, namedBy: Member | null = founder, at = new Date()) =>
    prisma.organization.update({
      where: { id: organization.id },
      data: {
        escalationContactId: person && person.id,
        contactNamedById: namedBy && namedBy.id,
        contactNamedAt: at,
      },
    });
  for (const admin of [founder, reader, excluded]) await join(admin, null, { role: "org_admin" });
  await join(contact);
  return { organization, event, reader, excluded, contact, join, name };
}

async function createHidden(
  eventId: string,
  from: Member,
  data: { reporterId?: string; createdAt?: Date } = {},
) {
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
    await referIncidentsWithoutReader();
    expect(await listReferrals(hidden)).toEqual([]);
    await lose(reader, event.id);
    expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(false);
    await prisma.outboxEvent.deleteMany();
    await Promise.all([referIncidentsWithoutReader(), referIncidentsWithoutReader()]);
    expect(await listReferrals(hidden)).toEqual([contact.id]);
    expect(await listReferrals(open.id)).toEqual([]);
    expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(true);
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
  const { event, reader, excluded, contact, join, name } = await createTeam();
  const hidden = await createHidden(event.id, excluded, { reporterId: contact.id });
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referIncidentsWithoutReader();
  // The excluded Admin, and the reporter, don't become its reader.
  for (const person of [null, excluded, contact]) {
    await name(person);
    await referIncidentsWithoutReader();
    expect(await listReferrals(hidden)).toEqual([]);
  }
  const other = await createUser();
  await join(other);
  await name(other);
  await referIncidentsWithoutReader();
  expect(await listReferrals(hidden)).toEqual([other.id]);
});

it("goes on to the next contact when the one who read it leaves the organization", async () => {
  const { event, reader, excluded, contact, join, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referIncidentsWithoutReader();
  const next = await createUser();
  await join(next);
  await name(next);
  await referIncidentsWithoutReader();
  expect(await listReferrals(hidden)).toEqual([contact.id]);
  await prisma.organizationMember.deleteMany({ where: { userId: contact.id } });
  await referIncidentsWithoutReader();
  expect((await listReferrals(hidden)).toSorted()).toEqual([contact.id, next.id].toSorted());
});

it("stays with the contact to whom somebody excluded gives a stronger role, unlike with others", async () => {
  const { organization, event, reader, excluded, contact, join, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
  await referIncidentsWithoutReader();
  const viewer = await createUser();
  await join(viewer);
  for (const { id: userId } of [contact, viewer])
    await sql.$executeRaw(
      inheritExclusionsOfGrantorSql({
        userId,
        role: "org_admin",
        organizationId: organization.id,
        eventId: null,
        grantedById: excluded.id,
      }),
    );
  const rows = await prisma.incidentExclusion.findMany({ where: { incidentId: hidden } });
  expect(rows.map(({ userId }) => userId).toSorted()).toEqual([excluded.id, viewer.id].toSorted());
});

it("keeps a report with readers whose role is withheld for now", async () => {
  const { organization, event, excluded, contact, name } = await createTeam();
  await name(contact);
  const hidden = await createHidden(event.id, excluded);
  await prisma.organization.update({ where: { id: organization.id }, data: { requireSecondFactor: true } });
  await referIncidentsWithoutReader();
  expect([await listReferrals(hidden), await hasIncidentReaderBesidesReporter(hidden)]).toEqual([[], false]);
});

const HOUR = 3_600_000;

describe("a hidden report without a reader", () => {
  type Case = { namedBy: "excluded" | "reader" | null; addedBy: "excluded" | "reader" | null; hours: number };
  /**
   * The contact was named and brought in so many hours after the report, or before it; the last member: are they to
   * read it?
   */
  const CASES: [string, Case, boolean][] = [
    ["was named by them", { namedBy: "excluded", addedBy: "reader", hours: 1 }, false],
    ["was named by them before the report", { namedBy: "excluded", addedBy: "reader", hours: -1 }, false],
    ["was brought in by them", { namedBy: "reader", addedBy: "excluded", hours: 1 }, false],
    ["was named later, nobody knows by whom", { namedBy: null, addedBy: "reader", hours: 1 }, false],
    ["was brought in later, nobody knows by whom", { namedBy: "reader", addedBy: null, hours: 1 }, false],
    ["was there before, nobody knows by whom", { namedBy: null, addedBy: null, hours: -1 }, true],
    ["was named later by somebody else", { namedBy: "reader", addedBy: "reader", hours: 1 }, true],
  ];

  it.each(CASES)(
    "goes to a contact who %s only if nobody excluded from the report can have chosen them",
    async (_, { namedBy, addedBy, hours }, referred) => {
      const team = await createTeam();
      const { event, reader, excluded, join, name } = team;
      const createdAt = new Date(Date.now() - 2 * HOUR);
      const hidden = await createHidden(event.id, excluded, { createdAt });
      await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
      const at = new Date(createdAt.getTime() + hours * HOUR);
      const candidate = await createUser();
      await join(candidate, addedBy && team[addedBy], { createdAt: at });
      await name(candidate, namedBy && team[namedBy], at);
      await referIncidentsWithoutReader();
      expect(await listReferrals(hidden)).toEqual(referred ? [candidate.id] : []);
      expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(referred);
    },
  );

  describe("that is hidden from somebody with more accounts", () => {
    /** The excluded person brought in a second account, and that one a third. */
    const bringIn = async ({ excluded, join }: Awaited<ReturnType<typeof createTeam>>) => {
      const [second, third] = [await createUser(), await createUser()];
      await join(second, excluded, { role: "org_admin" });
      await join(third, second, { role: "org_admin" });
      return { second, third };
    };
    type Team = Awaited<ReturnType<typeof createTeam>> & Awaited<ReturnType<typeof bringIn>>;
    const leave = ({ id: userId }: Member) => prisma.organizationMember.deleteMany({ where: { userId } });
    const WAYS: [string, (team: Team) => Promise<unknown>][] = [
      ["whom a second account of theirs brought in", ({ third, name }) => name(third)],
      [
        "whom a third account of theirs brought in, after the others had left",
        async ({ second, third, excluded, contact, join, name }) => {
          const candidate = await createUser();
          await join(candidate, third);
          for (const one of [excluded, second, third]) await leave(one);
          await name(candidate, contact);
        },
      ],
      ["whom a third account of theirs named", ({ third, contact, name }) => name(contact, third)],
      [
        "who came with an invite of somebody who has left",
        async ({ second, third, join, name }) => {
          for (const one of [second, third]) await leave(one);
          const candidate = await createUser();
          await join(candidate, third);
          await name(candidate);
        },
      ],
    ];

    it.each(WAYS)("isn't read by a contact %s", async (_, act) => {
      const team = await createTeam();
      const { event, reader, excluded } = team;
      const hidden = await createHidden(event.id, excluded, { createdAt: new Date(Date.now() - HOUR) });
      await act({ ...team, ...(await bringIn(team)) });
      await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
      await referIncidentsWithoutReader();
      expect(await listReferrals(hidden)).toEqual([]);
    });

    it("is read by a contact whom somebody else brought in, however long ago the people between have left", async () => {
      const team = await createTeam();
      const { event, reader, excluded, contact, join, name } = team;
      const hidden = await createHidden(event.id, excluded);
      const [between, candidate] = [await createUser(), await createUser()];
      await join(between, reader, { role: "org_admin" });
      await join(candidate, between);
      await leave(between);
      await name(candidate, contact);
      await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
      await referIncidentsWithoutReader();
      expect(await listReferrals(hidden)).toEqual([candidate.id]);
    });
  });

  it("stays without a reader when the person who named the contact deletes their account", async () => {
    const { event, reader, excluded, contact, name } = await createTeam();
    const hidden = await createHidden(event.id, excluded);
    await name(contact, excluded);
    await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
    await prisma.user.delete({ where: { id: excluded.id } });
    await referIncidentsWithoutReader();
    expect(await listReferrals(hidden)).toEqual([]);
  });
});

it("has no reader while the membership of its contact is pending or withheld", async () => {
  const { organization, event, reader, excluded, contact } = await createTeam();
  const hidden = await createHidden(event.id, excluded);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: reader.id } });
  await prisma.incidentReferral.create({ data: { incidentId: hidden, userId: contact.id } });
  expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(true);
  const change = (data: { pending?: boolean; requireSecondFactor?: boolean }) =>
    data.pending === undefined
      ? prisma.organization.update({ where: { id: organization.id }, data })
      : prisma.organizationMember.updateMany({ where: { userId: contact.id }, data });
  await change({ pending: true });
  expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(false);
  await change({ pending: false });
  await change({ requireSecondFactor: true });
  expect(await hasIncidentReaderBesidesReporter(hidden)).toBe(false);
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
  await prisma.incidentExclusion.createMany({
    data: [
      { incidentId, userId: reader.id, source: "team" },
      { incidentId, userId: recused.id, source: "recusal" },
      { incidentId: other, userId: reader.id, source: "team" },
    ],
  });
  await prisma.incidentReferral.create({ data: { incidentId, userId: contact.id } });
  const place = { eventId: event.id, organizationId: organization.id, slug: event.slug };
  const member = {
    id: contact.id,
    systemAdmin: false,
    hiddenIncidentIds: [],
    organizations: [],
    events: [],
    referrals: [{ ...place, incidentId }],
  } as unknown as Actor;
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = buildActorWithReferralAdminRole(member, { incidentId, eventId: event.id });
  const contextOf = (id: string) =>
    ({ ...place, actor, right: "escalationContact", call, incidentId: id, reporterId: null }) as never;
  const lift = ({ id }: Member, from = incidentId) => liftExclusion(contextOf(from), id);
  const listed = await listIncidentExclusionsForActor(contextOf(incidentId));
  expect(new Map(listed.map(({ person, canLift }) => [person?.id, canLift]))).toEqual(
    new Map([
      [excluded.id, false],
      [reader.id, true],
      [recused.id, true],
    ]),
  );
  await lift(reader);
  await lift(recused);
  await expect(lift(excluded)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(lift(reader, other)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const left = await prisma.incidentExclusion.findMany({ where: { incidentId } });
  expect(left.map(({ userId }) => userId)).toEqual([excluded.id]);
});

it("a SystemAdmin without the required second factor neither opens nor lists a hidden report", async () => {
  const { organization, event, reader, excluded: system } = await createTeam();
  await prisma.user.update({ where: { id: system.id }, data: { systemAdmin: true } });
  const [hidden, unread] = [await createHidden(event.id, system), await createHidden(event.id, reader)];
  await prisma.eventRole.deleteMany({ where: { eventId: event.id } });
  const { id: known } = await createIncident({ eventId: event.id });
  const open = {
    id: system.id,
    systemAdmin: true,
    hiddenIncidentIds: [hidden],
    organizations: [],
    events: [],
  };
  const closed = { openEvents: new Set(), organizations: new Set([organization.id]) };
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const openAs = (actor: object, incidentId: string) =>
    breakGlass({ actor, right: "self", call } as never, { incidentId, reason: "No one else is there." });
  const listAs = async (actor: object) =>
    (await listIncidentsWithoutReader(actor as Actor)).some(({ id }) => id === unread);
  // The answer doesn't depend on whether the incident is hidden from them.
  for (const id of [hidden, known])
    await expect(openAs({ ...open, closed }, id)).rejects.toMatchObject({ code: "SECOND_FACTOR_REQUIRED" });
  expect(await prisma.incidentAccess.count({ where: { incidentId: hidden } })).toBe(0);
  expect([await listAs({ ...open, closed }), await listAs(open)]).toEqual([false, true]);
  expect(await openAs(open, hidden)).toMatchObject({ incidentId: hidden });
});
