import { expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import {
  evaluateProposedExclusion,
  hasIncidentReaderBesidesReporter,
  listIncidentsWithoutReader,
} from "#lib/exclusions/queries.ts";
import { referIncidentsWithoutReader } from "#lib/exclusions/referrals.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/**
 * Readers whom somebody brought to the team who may be the one that the report is about (contract 16.3, 16.7,
 * docs/decisions/070).
 */

type Person = { id: string };

async function createTeam() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const people = [await createUser(), await createUser(), await createUser(), await createUser()] as const;
  const [accused, honest, second, third] = people;
  for (const { id } of people)
    await prisma.user.update({ where: { id }, data: { emailVerifiedAt: new Date() } });
  const grant = ({ id: userId }: Person, grantor: Person, roleName: EventRole = "Responder") =>
    prisma.eventRole.create({ data: { eventId: event.id, userId, roleName, grantedById: grantor.id } });
  await grant(accused, accused, "Admin");
  await grant(honest, honest, "Admin");
  const report = async (data: { createdAt?: Date } = {}) => createIncident({ eventId: event.id, ...data });
  const toActor = ({ id }: Person): Actor => ({
    id,
    name: "Bert",
    email: "bert@example.org",
    avatarUrl: null,
    sessionId: "",
    systemAdmin: false,
    hiddenIncidentIds: [],
    organizations: [],
    events: [{ eventId: event.id, slug: event.slug, organizationId: organization.id, roles: ["Admin"] }],
  });
  const exclude = async (excluder: Person, incidentId: string, { id: userId }: Person) => {
    const context = {
      incidentId,
      eventId: event.id,
      organizationId: organization.id,
      actor: toActor(excluder),
    };
    const { problem } = await evaluateProposedExclusion(prisma, { ...context, reporterId: null } as never, {
      userId,
      source: "team",
    });
    if (problem) return problem;
    const key = { incidentId, userId };
    await prisma.incidentExclusion.create({ data: { ...key, source: "team", excludedById: excluder.id } });
    return "excluded";
  };
  return { organization, event, accused, honest, second, third, grant, report, exclude, toActor };
}

type Team = Awaited<ReturnType<typeof createTeam>>;

const hide = (incidentId: string, { id: userId }: Person) =>
  prisma.incidentExclusion.create({ data: { incidentId, userId, source: "reporter" } });

const WAYS_TO_STAY: [string, (team: Team) => Promise<unknown>][] = [
  ["an account that they brought in", ({ grant, accused, second }) => grant(second, accused, "Admin")],
  [
    "an account that came through another one of theirs, which has left since",
    async ({ event, grant, accused, second, third }) => {
      await grant(second, accused, "Admin");
      await grant(third, second, "Admin");
      await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: second.id } });
    },
  ],
];

it.each(WAYS_TO_STAY)("an Admin can't leave %s as the only other reader", async (_, bringIn) => {
  const team = await createTeam();
  const { accused, honest, exclude, report } = team;
  const { id } = await report();
  await bringIn(team);
  // The first exclusion needs no reader besides the Admin, so that a team of two can use it.
  const colleague = await createUser();
  await team.grant(colleague, honest);
  expect(await exclude(accused, id, colleague)).toBe("excluded");
  expect(await exclude(accused, id, honest)).toBe("mustLeaveReader");
});

it("an account that the accused Admin brought in can't leave that Admin as the only other reader", async () => {
  const { accused, honest, second, grant, report, exclude } = await createTeam();
  const { id } = await report();
  const colleague = await createUser();
  await grant(colleague, honest);
  await grant(second, accused, "Admin");
  expect(await exclude(second, id, colleague)).toBe("excluded");
  expect(await exclude(second, id, honest)).toBe("mustLeaveReader");
});

it("an Admin who is the last reader can't exclude themself, not even with the team's first exclusion", async () => {
  const { accused, honest, report, exclude } = await createTeam();
  const { id } = await report();
  await hide(id, honest);
  expect(await exclude(accused, id, accused)).toBe("mustLeaveReader");
  const { id: other } = await report();
  expect(await exclude(accused, other, accused)).toBe("excluded");
  expect(await exclude(honest, other, honest)).toBe("mustLeaveReader");
});

it("the team's first exclusion can't take the last reader when the acting Admin no longer reads the report", async () => {
  const { accused, honest, report, exclude } = await createTeam();
  const { id } = await report();
  await hide(id, accused);
  expect(await exclude(accused, id, honest)).toBe("mustLeaveReader");
});

it("who is left besides an Admin has to be able to lift the exclusion, or a SystemAdmin has", async () => {
  const { accused, honest, second, third, grant, report, exclude } = await createTeam();
  const [{ id }, { id: other }] = [await report(), await report()];
  await grant(second, honest);
  const system = third;
  await prisma.user.updateMany({ data: { systemAdmin: false } });
  await prisma.user.update({ where: { id: system.id }, data: { systemAdmin: true } });
  const colleague = await createUser();
  await grant(colleague, honest);
  expect(await exclude(accused, id, colleague)).toBe("excluded");
  expect(await exclude(accused, id, honest)).toBe("excluded");
  // The SystemAdmin is the last one who can lift these.
  expect(await exclude(accused, id, system)).toBe("mustLeaveReader");
  // Not even as the first one, unless another Admin is left.
  expect(await exclude(accused, other, system)).toBe("excluded");
  expect(await exclude(accused, other, honest)).toBe("mustLeaveReader");
  await prisma.user.update({ where: { id: system.id }, data: { systemAdmin: false } });
});

it("a report whose only readers an excluded person brought in has no reader, and goes to the contact", async () => {
  const { organization, accused, honest, second, third, grant, report, event, toActor } = await createTeam();
  const contact = await createUser();
  const { id: organizationId } = organization;
  for (const { id: userId } of [honest, contact])
    await prisma.organizationMember.create({
      data: { organizationId, userId, role: "org_admin", addedById: honest.id },
    });
  await grant(second, accused, "Admin");
  await grant(third, second);
  const [{ id }, { id: open }] = [await report(), await report()];
  await hide(id, accused);
  const isUnread = async () =>
    (await listIncidentsWithoutReader(toActor(contact))).some((incident) => incident.id === id);
  expect([await hasIncidentReaderBesidesReporter(id), await isUnread()]).toEqual([true, false]);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: honest.id } });
  expect([await hasIncidentReaderBesidesReporter(id), await hasIncidentReaderBesidesReporter(open)]).toEqual([
    false,
    true,
  ]);
  expect(await isUnread()).toBe(true);
  await prisma.organization.update({
    where: { id: organizationId },
    data: { escalationContactId: contact.id, contactNamedById: honest.id, contactNamedAt: new Date() },
  });
  await referIncidentsWithoutReader();
  const referrals = await prisma.incidentReferral.findMany({ where: { incidentId: { in: [id, open] } } });
  expect(referrals).toMatchObject([{ incidentId: id, userId: contact.id }]);
  expect(await hasIncidentReaderBesidesReporter(id)).toBe(true);
});

it("a reader who came through somebody unknown counts only for reports from after that", async () => {
  const { accused, honest, second, third, grant, report, event } = await createTeam();
  const earlier = await report({ createdAt: new Date(Date.now() - 3_600_000) });
  await grant(second, accused, "Admin");
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: second.id } });
  // An invite of the second account is redeemed after it has left.
  await grant(third, second);
  const later = await report({ createdAt: new Date(Date.now() + 1000) });
  for (const { id } of [earlier, later]) await hide(id, accused);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: honest.id } });
  expect([
    await hasIncidentReaderBesidesReporter(earlier.id),
    await hasIncidentReaderBesidesReporter(later.id),
  ]).toEqual([false, true]);
});

it("who first brought somebody to the team stays when they get another role there, or come back", async () => {
  const { accused, honest, second, third, grant, event } = await createTeam();
  await grant(second, honest, "Responder");
  await grant(second, accused, "Admin");
  const rows = await prisma.eventRole.findMany({ where: { eventId: event.id, userId: second.id } });
  expect(rows.map(({ grantedById }) => grantedById)).toEqual([honest.id, honest.id]);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: second.id } });
  expect((await grant(second, accused, "Responder")).grantedById).toBe(honest.id);
  // Being an attendee before is not being brought to the team.
  await grant(third, third, "Reporter");
  expect((await grant(third, accused, "Responder")).grantedById).toBe(accused.id);
});

it("a contact whom an excluded person removed and added again still reads", async () => {
  const { organization, accused, honest, second: contact, report, event } = await createTeam();
  const { id: organizationId } = organization;
  const join = ({ id: userId }: Person, addedById: string) =>
    prisma.organizationMember.create({ data: { organizationId, userId, role: "org_admin", addedById } });
  await join(honest, honest.id);
  await join(accused, honest.id);
  await join(contact, honest.id);
  await prisma.organization.update({
    where: { id: organizationId },
    data: { escalationContactId: contact.id, contactNamedById: honest.id, contactNamedAt: new Date() },
  });
  await prisma.organizationMember.deleteMany({ where: { organizationId, userId: contact.id } });
  await join(contact, accused.id);
  const { id } = await report();
  await hide(id, accused);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id, userId: honest.id } });
  await referIncidentsWithoutReader();
  expect(await prisma.incidentReferral.findMany({ where: { incidentId: id } })).toMatchObject([
    { userId: contact.id },
  ]);
});
