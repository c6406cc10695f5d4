import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { changeSystemRoleOrDisabled } from "#lib/admin/users.ts";
import {
  notifyOfOverdueBypassReviews,
  referConflictBypassReviewsToContact,
} from "#lib/conflicts/overdue-reviews.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { findCachedSearchCounts } from "#lib/incidents/search-queries.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import { hasIncidentReaderBesidesReporter } from "#lib/exclusions/queries.ts";
import { referIncidentsWithoutReader } from "#lib/exclusions/referrals.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { findActorBypassReviewRightAndInviters } from "#lib/conflicts/queries.ts";

/** Effects of the conflict check that no response shows: shared search counts, and the job that sends reminders. */

async function createCheckedEvent() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const turnOn = () =>
    prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  return { organization, event, turnOn };
}

const WORD = "lantern";

it("counts of a common word, which are shared, leave out what isn't open to the reader", async () => {
  const { organization, event, turnOn } = await createCheckedEvent();
  const [first, second] = [await createUser(), await createUser()];
  await sql.$executeRaw`
    insert into incidents (event_id, title, description)
    select ${event.id}::uuid, 'A lantern was thrown', 'It went on.' from generate_series(1, 900) n`;
  await turnOn();
  const closed = [];
  for (let n = 0; n < 3; n += 1)
    closed.push(await createIncident({ eventId: event.id, title: "The last lantern" }));
  await prisma.conflictAnswer.create({
    data: { incidentId: closed[0]?.id ?? "", userId: second.id, answer: "soft" },
  });
  const search = async (id: string, page = 1) => {
    const reader: Actor = {
      id,
      email: "maya@example.org",
      name: "Maya Castillo",
      avatarUrl: null,
      sessionId: "session",
      hiddenIncidentIds: [],
      systemAdmin: false,
      organizations: [],
      events: [
        { eventId: event.id, slug: event.slug, organizationId: organization.id, roles: ["Responder"] },
      ],
    };
    const query = { search: WORD, sort: "createdAt", order: "desc", page, limit: 20 } as const;
    const { incidents, total } = await listIncidentsAcrossEvents(reader, query);
    return { total, newest: incidents[0]?.title, shown: incidents.map((one) => one.title).join() };
  };
  // The first of each counts, the others use the counts of all readers.
  for (let n = 0; n < 3; n += 1) {
    expect(await search(first.id)).toMatchObject({ total: 900, newest: "A lantern was thrown" });
    expect(await search(second.id)).toMatchObject({ total: 901, newest: "The last lantern" });
    expect((await search(first.id, 2)).shown).not.toContain("last");
  }
  expect(findCachedSearchCounts(JSON.stringify([WORD, []]), [event.id])).toMatchObject([{ matching: 903 }]);
});

it("a bypass that two others haven't reviewed in a day is notified once", async () => {
  const { event, turnOn } = await createCheckedEvent();
  await turnOn();
  const people = [await createUser(), await createUser(), await createUser()];
  const createBypass = async (hoursAgo: number, reviewers: number) => {
    const incident = await createIncident({ eventId: event.id });
    await prisma.conflictBypass.create({
      data: {
        incidentId: incident.id,
        userId: people[0]?.id ?? null,
        at: new Date(Date.now() - hoursAgo * 3_600_000),
        reviews: { create: people.slice(1, 1 + reviewers).map(({ id }) => ({ reviewerId: id })) },
      },
    });
    return incident.id;
  };
  const overdue = [await createBypass(25, 0), await createBypass(25, 1)];
  await createBypass(25, 2);
  await createBypass(23, 0);
  await prisma.outboxEvent.deleteMany();
  await Promise.all([notifyOfOverdueBypassReviews(), notifyOfOverdueBypassReviews()]);
  const events = await prisma.outboxEvent.findMany({ where: { eventId: event.id } });
  expect(events.map(({ kind, actorId }) => [kind, actorId])).toEqual([
    ["incident.bypassReview", null],
    ["incident.bypassReview", null],
  ]);
  expect(events.map(({ incidentId }) => incidentId).toSorted()).toEqual(overdue.toSorted());
  await prisma.outboxEvent.deleteMany();
  expect(await notifyOfOverdueBypassReviews()).toBe(0);
});

it("a bypass is reviewed by nobody whom the person who bypassed brought to the team", async () => {
  const { event, turnOn } = await createCheckedEvent();
  await turnOn();
  const [bypasser, own, through, honest, other] = [
    await createUser(),
    await createUser(),
    await createUser(),
    await createUser(),
    await createUser(),
  ];
  const incident = await createIncident({ eventId: event.id });
  const { id: bypassId } = await prisma.conflictBypass.create({
    data: {
      incidentId: incident.id,
      userId: bypasser.id,
      at: new Date(Date.now() - 25 * 3_600_000),
    },
  });
  const origins = { own: bypasser, through: own, honest, other: honest };
  for (const [name, person] of Object.entries({ own, through, honest, other }))
    await prisma.eventRole.create({
      data: {
        eventId: event.id,
        userId: person.id,
        roleName: "Responder",
        grantedById: origins[name as keyof typeof origins].id,
      },
    });
  const toActor = ({ id }: { id: string }) => ({ id }) as Actor;
  const review = async (person: { id: string }) => {
    const context = { incidentId: incident.id, eventId: event.id, actor: toActor(person) };
    const { mayReview, reviewerBehindIds } = await findActorBypassReviewRightAndInviters(prisma, context);
    await prisma.conflictReview.create({ data: { bypassId, reviewerId: person.id, reviewerBehindIds } });
    return mayReview;
  };
  expect([await review(own), await review(through)]).toEqual([false, false]);
  // Their reviews don't count either once they are no longer on the team.
  await prisma.eventRole.deleteMany({ where: { userId: { in: [own.id, through.id] } } });
  expect(await notifyOfOverdueBypassReviews()).toBe(1);
  await prisma.conflictBypass.update({ where: { id: bypassId }, data: { remindedAt: null } });
  expect([await review(honest), await review(other)]).toEqual([true, true]);
  expect(await notifyOfOverdueBypassReviews()).toBe(0);
});

/** A checked incident that a SystemAdmin bypassed a day ago, and two people whom they made SystemAdmins since. */
async function createBypassBySystemAdmin() {
  const { organization, event, turnOn } = await createCheckedEvent();
  await turnOn();
  const [bypasser, second, third] = [await createUser(), await createUser(), await createUser()];
  await prisma.user.update({ where: { id: bypasser.id }, data: { systemAdmin: true } });
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = { id: bypasser.id, systemAdmin: true };
  const changeSystemRole = ({ id: userId }: { id: string }, systemAdmin: boolean) =>
    changeSystemRoleOrDisabled({ userId, actor, right: "SystemAdmin", call } as never, { systemAdmin });
  for (const one of [second, third]) await changeSystemRole(one, true);
  const { id: incidentId } = await createIncident({ eventId: event.id });
  const at = new Date(Date.now() - 25 * 3_600_000);
  const bypass = await prisma.conflictBypass.create({ data: { incidentId, userId: bypasser.id, at } });
  const review = async (person: { id: string }) => {
    const context = { incidentId, eventId: event.id, actor: { id: person.id } as Actor };
    const { mayReview, reviewerBehindIds } = await findActorBypassReviewRightAndInviters(prisma, context);
    const data = { bypassId: bypass.id, reviewerId: person.id, reviewerBehindIds };
    await prisma.conflictReview.create({ data });
    return mayReview;
  };
  const grant = (userId: string, grantedById: string) =>
    prisma.eventRole.create({
      data: { eventId: event.id, userId, roleName: "Responder", grantedById },
    });
  const { id: organizationId } = organization;
  const join = (userId: string, addedById: string) =>
    prisma.organizationMember.create({ data: { organizationId, userId, role: "org_admin", addedById } });
  return { bypass, bypasser, second, third, review, grant, join, changeSystemRole };
}

type BypassWorld = Awaited<ReturnType<typeof createBypassBySystemAdmin>>;

const WAYS_TO_REVIEW: [string, (world: BypassWorld) => Promise<unknown>][] = [
  ["with that role alone", async () => {}],
  [
    "with that role alone, when it wasn't stored yet who made them SystemAdmins",
    () => prisma.user.updateMany({ data: { systemAdminThroughIds: [] } }),
  ],
  [
    "as members of the organization",
    async ({ second, third, join }) => {
      const other = await createUser();
      await join(other.id, other.id);
      for (const { id } of [second, third]) await join(id, other.id);
    },
  ],
  [
    "on the team, to which one of them brought both",
    async ({ second, third, grant }) => {
      await grant(second.id, second.id);
      await grant(third.id, second.id);
    },
  ],
  [
    "on the team, to which they came as members of the organization",
    async ({ second, third, join, grant }) => {
      await join(second.id, second.id);
      await join(third.id, second.id);
      for (const { id } of [second, third]) await grant(id, id);
    },
  ],
  [
    "who demote the SystemAdmin before",
    ({ bypasser, changeSystemRole }) => changeSystemRole(bypasser, false),
  ],
];

it.each(WAYS_TO_REVIEW)(
  "a SystemAdmin's bypass isn't reviewed by SystemAdmins whom they made: %s",
  async (_, prepare) => {
    const world = await createBypassBySystemAdmin();
    await prepare(world);
    expect([await world.review(world.second), await world.review(world.third)]).toEqual([false, false]);
    const where = { id: world.bypass.id, remindedAt: null };
    expect(await prisma.conflictBypass.count({ where })).toBe(1);
    await notifyOfOverdueBypassReviews();
    // It was still to be reviewed.
    expect(await prisma.conflictBypass.count({ where })).toBe(0);
  },
);

it("a SystemAdmin's bypass is reviewed by the team, and a team member's by SystemAdmins", async () => {
  const { bypass, second, third, review, grant } = await createBypassBySystemAdmin();
  const [honest, other] = [await createUser(), await createUser()];
  await grant(honest.id, honest.id);
  await grant(other.id, honest.id);
  expect([await review(honest), await review(other)]).toEqual([true, true]);
  await prisma.conflictReview.deleteMany({ where: { bypassId: bypass.id } });
  await prisma.conflictBypass.update({ where: { id: bypass.id }, data: { userId: other.id } });
  expect([await review(second), await review(third)]).toEqual([true, true]);
  await notifyOfOverdueBypassReviews();
  expect(await prisma.conflictBypass.findUnique({ where: { id: bypass.id } })).toMatchObject({
    remindedAt: null,
  });
});

it("a bypass that too few people on the team can review is referred to the escalation contact, once", async () => {
  const { organization, event, turnOn } = await createCheckedEvent();
  await turnOn();
  const [bypasser, other, excluded, contact] = [
    await createUser(),
    await createUser(),
    await createUser(),
    await createUser(),
  ];
  for (const { id: userId } of [bypasser, other, excluded])
    await prisma.eventRole.create({ data: { eventId: event.id, userId, roleName: "Responder" } });
  const createBypassed = async () => {
    const { id } = await createIncident({ eventId: event.id });
    await prisma.conflictBypass.create({ data: { incidentId: id, userId: bypasser.id } });
    return id;
  };
  const [full, short] = [await createBypassed(), await createBypassed()];
  await prisma.incidentExclusion.create({
    data: { incidentId: short, userId: excluded.id, source: "recusal" },
  });
  expect(await referConflictBypassReviewsToContact()).toBe(0);
  const { id: organizationId } = organization;
  await prisma.organizationMember.create({
    data: { organizationId, userId: other.id, role: "org_admin", addedById: null },
  });
  await prisma.organizationMember.create({
    data: { organizationId, userId: contact.id, role: "org_viewer", addedById: other.id },
  });
  const data = { escalationContactId: contact.id, contactNamedById: other.id, contactNamedAt: new Date() };
  await prisma.organization.update({ where: { id: organization.id }, data });
  await prisma.outboxEvent.deleteMany();
  await Promise.all([referConflictBypassReviewsToContact(), referConflictBypassReviewsToContact()]);
  const referrals = await prisma.incidentReferral.findMany({ where: { incidentId: { in: [full, short] } } });
  expect(referrals.map(({ incidentId, userId, forReview }) => [incidentId, userId, forReview])).toEqual([
    [short, contact.id, true],
  ]);
  const events = await prisma.outboxEvent.findMany({ where: { eventId: event.id } });
  expect(events).toMatchObject([{ kind: "incident.bypassReview", actorId: null, incidentId: short }]);
  // The contact's review stands for both.
  await sql.$executeRaw`
    insert into conflict_reviews (bypass_id, reviewer_id)
    select b.id, ${contact.id}::uuid from conflict_bypasses b where b.incident_id = ${short}::uuid`;
  await sql.$executeRaw`update conflict_bypasses set at = at - interval '25 hours' where incident_id = ${short}::uuid`;
  expect(await notifyOfOverdueBypassReviews()).toBe(0);
  // Who only reviews is no reader: once nobody else is left, they become one, and are notified.
  expect(await referIncidentsWithoutReader()).toBe(0);
  await prisma.eventRole.deleteMany({ where: { eventId: event.id } });
  expect(await hasIncidentReaderBesidesReporter(short)).toBe(false);
  await prisma.outboxEvent.deleteMany();
  expect(await referIncidentsWithoutReader()).toBe(1);
  const [referral] = await prisma.incidentReferral.findMany({ where: { incidentId: short } });
  expect([referral?.forReview, await hasIncidentReaderBesidesReporter(short)]).toEqual([false, true]);
  expect((await prisma.outboxEvent.findMany()).map(({ kind }) => kind)).toEqual(["incident.created"]);
  expect(await referIncidentsWithoutReader()).toBe(0);
});
