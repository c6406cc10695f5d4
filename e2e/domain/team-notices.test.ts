import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { env } from "#lib/env.ts";
import { NewIncidentInput } from "#lib/incidents/schema.ts";
import { submitReport } from "#lib/incidents/submission.ts";
import { listMailableNotifications, listNotifications } from "#lib/notifications/queries.ts";
import { notifyNewTeamMembers, notifyOfEventsWithoutReader } from "#lib/notifications/team-notices.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { dispatchOutboxBatch } from "#lib/worker/dispatch.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Notices that nobody can read an event's reports, and of reports that wait for a new team member (contract 6.10). */

ensureSessionSecret(env());

beforeEach(async () => {
  await prisma.event.deleteMany();
  await prisma.user.updateMany({ data: { systemAdmin: false } });
});

async function createPlace() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [orgAdmin, viewer, system, reporter, reader] = [
    await createUser("Org Admin"),
    await createUser("Org Viewer"),
    await createUser("System Admin"),
    await createUser("Reporter"),
    await createUser("Reader"),
  ];
  await prisma.user.update({ where: { id: system.id }, data: { systemAdmin: true } });
  for (const [{ id: userId }, role] of [
    [orgAdmin, "org_admin"],
    [viewer, "org_viewer"],
  ] as const)
    await prisma.organizationMember.create({ data: { organizationId: organization.id, userId, role } });
  const grant = ({ id: userId }: { id: string }, roleName: "Reporter" | "Responder" | "Admin", more = {}) =>
    prisma.eventRole.create({ data: { eventId: event.id, userId, roleName, ...more } });
  await grant(reporter, "Reporter");
  await grant(reader, "Responder");
  await giveNotices();
  return { organization, event, orgAdmin, viewer, system, reporter, reader, grant };
}

const giveNotices = async () => {
  await notifyOfEventsWithoutReader();
  await notifyNewTeamMembers();
  await dispatchOutboxBatch();
};

async function listOf({ id }: { id: string }) {
  const actor = await findActorById(id);
  if (!actor) throw new Error("no such person");
  return (await listNotifications(actor, { page: 1, limit: 100 })).notifications;
}
const kindsOf = async (person: { id: string }) => (await listOf(person)).map(({ kind }) => kind);

const CLOSED = { state: "closed", firstResponseAt: new Date(), resolvedAt: new Date() } as const;

const passADay = () =>
  sql.$executeRaw`update events set reader_missing_since_notice = reader_missing_since_notice - interval '1 day'`;

describe("an event whose reports nobody can read", () => {
  const NOTICE = "event.withoutReader";

  it("is told to org_admins and SystemAdmins, at once and then daily, without a word of a report", async () => {
    const { event, organization, orgAdmin, viewer, system, reporter, reader } = await createPlace();
    await createIncident({ eventId: event.id });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([]);
    await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
    await giveNotices();
    await giveNotices();
    for (const person of [orgAdmin, system]) {
      const [notice, ...more] = await listOf(person);
      expect(notice).toMatchObject({
        kind: NOTICE,
        event: { id: event.id },
        incidentId: null,
        incident: null,
        count: null,
        url: expect.stringMatching(`/orgs/${organization.slug}$`),
      });
      expect(more).toEqual([]);
    }
    const actor = await findActorById(orgAdmin.id);
    const ids = (await listOf(orgAdmin)).map(({ id }) => id);
    expect(actor && (await listMailableNotifications(actor, ids))).toHaveLength(1);
    for (const person of [viewer, reporter, reader]) expect(await kindsOf(person)).toEqual([]);
    await passADay();
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([NOTICE, NOTICE]);
  });

  it("is told until somebody can read them, and at once when the last one goes again", async () => {
    const { event, orgAdmin, reader, grant } = await createPlace();
    await createIncident({ eventId: event.id });
    await prisma.user.update({ where: { id: reader.id }, data: { disabledAt: new Date() } });
    await giveNotices();
    await grant(orgAdmin, "Admin");
    await passADay();
    await giveNotices();
    expect((await kindsOf(orgAdmin)).filter((kind) => kind === NOTICE)).toHaveLength(1);
    await prisma.eventRole.deleteMany({ where: { userId: orgAdmin.id } });
    await giveNotices();
    expect((await kindsOf(orgAdmin)).filter((kind) => kind === NOTICE)).toHaveLength(2);
  });

  it("is told while attendees rely on it, and not before or after", async () => {
    const { event, orgAdmin, reporter, reader } = await createPlace();
    await prisma.eventRole.deleteMany({ where: { userId: { in: [reporter.id, reader.id] } } });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([]);
    await prisma.eventRole.create({ data: { eventId: event.id, userId: reporter.id, roleName: "Reporter" } });
    await prisma.event.update({ where: { id: event.id }, data: { isActive: false } });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([]);
    await prisma.event.update({ where: { id: event.id }, data: { isActive: true } });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([NOTICE]);
  });

  it("isn't told because of a report that is hidden from anybody", async () => {
    const { event, orgAdmin, reporter, reader } = await createPlace();
    await prisma.eventRole.deleteMany({ where: { userId: { in: [reporter.id, reader.id] } } });
    const { id: incidentId } = await createIncident({ eventId: event.id });
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: orgAdmin.id, source: "reporter" },
    });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([]);
    await createIncident({ eventId: event.id });
    await giveNotices();
    expect(await kindsOf(orgAdmin)).toEqual([NOTICE]);
  });

  it("stores no finer time than that of an anonymous report, which may have caused it", async () => {
    const { event, reader } = await createPlace();
    await createIncident({ eventId: event.id });
    await prisma.eventRole.deleteMany({ where: { userId: reader.id } });
    await giveNotices();
    const { readerMissingSinceNotice } = await prisma.event.findUniqueOrThrow({ where: { id: event.id } });
    expect(Number(readerMissingSinceNotice) % (15 * 60_000)).toBe(0);
  });

  const REPORT = NewIncidentInput.parse({ title: "Shouting at the desk", description: "It went on." });
  const report = async (
    { organization, event }: Pick<Awaited<ReturnType<typeof createPlace>>, "organization" | "event">,
    person: { id: string },
    more: { withoutRole?: true } = {},
  ) => {
    const actor = (await findActorById(person.id)) as Actor;
    const call = { requestId: randomUUID(), responseHeaders: {}, files: [], idempotencyKey: null };
    const context = { organizationId: organization.id, eventId: event.id, actor, right: "self", ...more };
    await submitReport({ ...context, call: call as unknown as OperationCall }, REPORT);
  };

  it("never keeps a report unread and unannounced when the last reader leaves while it is sent", async () => {
    const place = await createPlace();
    const stranger = await createUser("Stranger");
    await runTransaction(async (tx) => {
      await tx.eventRole.deleteMany({ where: { userId: place.reader.id } });
      await report(place, stranger, { withoutRole: true });
    });
    await giveNotices();
    expect(await kindsOf(place.orgAdmin)).toEqual([NOTICE]);
    await expect(report(place, await createUser(), { withoutRole: true })).rejects.toMatchObject({
      code: "EVENT_NOT_OPEN",
    });
    expect(await prisma.incident.count({ where: { eventId: place.event.id } })).toBe(1);
  });

  it("is told again at once when a report comes", async () => {
    const place = await createPlace();
    await prisma.eventRole.deleteMany({ where: { userId: place.reader.id } });
    await giveNotices();
    expect(await kindsOf(place.orgAdmin)).toEqual([NOTICE]);
    await report(place, place.reporter);
    await giveNotices();
    await giveNotices();
    expect(await kindsOf(place.orgAdmin)).toEqual([NOTICE, NOTICE]);
  });
});

describe("whoever joins a team", () => {
  const WAYS: [string, object, ((userId: string, eventId: string) => Promise<unknown>) | null][] = [
    ["is granted the role", {}, null],
    [
      "accepts an invitation",
      { pending: true },
      (userId, eventId) =>
        prisma.eventRole.updateMany({ where: { userId, eventId }, data: { pending: false } }),
    ],
    [
      "gets the second factor that is required",
      {},
      (userId, eventId) =>
        prisma.organization.updateMany({
          where: { events: { some: { id: eventId, roles: { some: { userId } } } } },
          data: { requireSecondFactor: false },
        }),
    ],
  ];

  it.each(WAYS)("is told once how many reports are open and unread there, who %s", async (_, role, start) => {
    const { organization, event, reader, grant } = await createPlace();
    const person = await createUser("New Responder");
    const [open, hidden, closed] = [
      await createIncident({ eventId: event.id }),
      await createIncident({ eventId: event.id }),
      await createIncident({ eventId: event.id, ...CLOSED }),
    ];
    expect(closed.state).toBe("closed");
    await prisma.incidentReader.create({
      data: { access: "none", incidentId: hidden.id, userId: person.id, source: "reporter" },
    });
    if (start && !("pending" in role))
      await prisma.organization.update({
        where: { id: organization.id },
        data: { requireSecondFactor: true },
      });
    await grant(person, "Responder", role);
    if (start) {
      await giveNotices();
      await start(person.id, event.id);
    }
    await giveNotices();
    await giveNotices();
    await grant(person, "Admin");
    await giveNotices();
    const [notice, ...more] = await listOf(person);
    expect(notice).toMatchObject({
      kind: "incident.waiting",
      event: { id: event.id },
      incidentId: null,
      count: 1,
    });
    expect(new URL(notice?.url ?? "").searchParams.get("event")).toBe(event.slug);
    expect(more).toEqual([]);
    expect(await kindsOf(reader)).toEqual([]);
    await prisma.incidentAccess.create({
      data: {
        incidentId: open.id,
        eventId: event.id,
        actorId: person.id,
        kind: "view",
        byRight: "Responder",
      },
    });
    expect((await listOf(person))[0]?.count).toBe(0);
  });

  it("isn't told where nothing is open", async () => {
    const { event, grant } = await createPlace();
    await createIncident({ eventId: event.id, ...CLOSED });
    const person = await createUser("New Responder");
    await grant(person, "Responder");
    await giveNotices();
    expect(await kindsOf(person)).toEqual([]);
  });
});
