import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { loadEventReportSettings } from "#lib/events/report-settings.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { type Actor, can } from "#lib/operation/policy.ts";
import { EventSetupInput, OrganizationSetupInput } from "#lib/setup/schema.ts";
import { setUpEvent, setUpOrganization } from "#lib/setup/setup.ts";
import * as rows from "#e2e/support/rows.ts";

/** An organization and its event in one step, and an event as a copy of an earlier one (contract 5.6). */

const word = () => randomUUID().slice(0, 8);
const address = () => `${randomUUID()}@example.org`;

const createContext = async (userId: string) => ({
  actor: (await findActorById(userId)) as Actor,
  right: "test",
  call: { requestId: randomUUID() } as unknown as OperationCall,
});

async function createSystemAdmin() {
  const creator = await rows.createUser("Ines Newcomer");
  await prisma.user.update({ where: { id: creator.id }, data: { systemAdmin: true } });
  return creator;
}

const setUp = async (creatorId: string, more: object) =>
  setUpOrganization(await createContext(creatorId), OrganizationSetupInput.parse(more));
const countMailJobs = async (email: string) =>
  (
    await sql.$queryRaw<unknown[]>`
    select 1 from graphile_worker._private_jobs where payload ->> 'email' = ${email}`
  ).length;

describe("setting up an organization", () => {
  it("takes a name: the event is open, and whoever set it up reads its reports", async () => {
    const creator = await createSystemAdmin();
    const name = `Spring Fair ${word()}`;
    const { organization, event, inviteLink } = await setUp(creator.id, { name });
    expect(organization.name).toBe(name);
    expect(event.slug).toMatch(/^spring-fair-/);
    expect(inviteLink).toBeNull();
    expect(await prisma.invite.count({ where: { organizationId: organization.id } })).toBe(0);
    expect(await loadEventReportSettings(event.id)).toMatchObject({
      hasReader: true,
      whoCanReport: "account",
      withoutAccount: true,
      showTeam: true,
      answerWithinHours: 24,
      team: [{ id: creator.id, role: "Admin" }],
    });
    expect(can((await findActorById(creator.id)) as Actor, "incident.list", { eventId: event.id })).toBe(
      true,
    );
    const entries = await prisma.auditEntry.findMany({
      where: { chain: organization.id },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual(["organization.create", "event.create"]);
  });

  it("invites the team and the outside person, and not whoever sets it up", async () => {
    const creator = await createSystemAdmin();
    const [mate, outside] = [address(), address()];
    const input = { name: `Fair ${word()}`, teamEmails: [mate, creator.email], outsidePersonEmail: outside };
    const { organization, event } = await setUp(creator.id, input);
    const invites = await prisma.invite.findMany({
      where: { organizationId: organization.id },
      orderBy: { role: "asc" },
    });
    expect(invites).toMatchObject([
      { role: "Responder", eventId: event.id, note: mate, outsidePerson: false, maxUses: 1 },
      { role: "org_viewer", eventId: null, note: outside, outsidePerson: true, maxUses: 1 },
    ]);
    expect(await Promise.all([mate, outside, creator.email].map(countMailJobs))).toEqual([1, 1, 0]);
  });

  it("gives a link for its first admin to somebody who doesn’t manage it, and the event isn’t open", async () => {
    const creator = await createSystemAdmin();
    const { organization, event, inviteLink } = await setUp(creator.id, {
      name: `Fair ${word()}`,
      manage: false,
    });
    expect(inviteLink).toContain("/invite/");
    expect(await prisma.organizationMember.count({ where: { organizationId: organization.id } })).toBe(0);
    expect((await loadEventReportSettings(event.id)).hasReader).toBe(false);
  });

  it("derives another address where that of the name is taken, but refuses a given one", async () => {
    const creator = await createSystemAdmin();
    const name = `Night ${word()}`;
    const first = await setUp(creator.id, { name });
    const second = await setUp(creator.id, { name });
    expect(second.event.slug).toBe(`${first.event.slug}-2`);
    const mate = address();
    const before = await prisma.organization.count();
    for (const [given, field] of [
      [{ slug: first.event.slug }, "slug"],
      [{ organizationSlug: first.organization.slug }, "organizationSlug"],
    ] as const)
      await expect(setUp(creator.id, { name, teamEmails: [mate], ...given })).rejects.toMatchObject({
        code: "SLUG_TAKEN",
        field,
      });
    // Nothing stays of what was refused.
    expect(await prisma.organization.count()).toBe(before);
    expect(await countMailJobs(mate)).toBe(0);
    const { event } = await setUp(creator.id, { name: "ﷺ" });
    expect(event.slug).toMatch(/^event/);
  });

  it("fills the event’s page into a code of conduct that has a gap for it", async () => {
    const creator = await createSystemAdmin();
    const { event } = await setUp(creator.id, {
      name: `Fair ${word()}`,
      codeOfConduct: "Write to {contact}.",
    });
    expect(event.codeOfConduct).toMatch(new RegExp(`^Write to https?://.*/e/${event.slug}\\.$`));
  });
});

async function createSource() {
  const organization = await rows.createOrganization();
  const source = await rows.createEvent(organization.id);
  const [admin, omar, waiting, disabled] = [
    await rows.createUser("Ada"),
    await rows.createUser("Omar"),
    await rows.createUser("Not Yet"),
    await rows.createUser("Disabled"),
  ];
  await prisma.user.update({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  const membership = { organizationId: organization.id, userId: admin.id, role: "org_admin" } as const;
  await prisma.organizationMember.create({ data: membership });
  const role = (userId: string, roleName: "Admin" | "Responder" | "Reporter", pending = false) =>
    prisma.eventRole.create({ data: { eventId: source.id, userId, roleName, pending } });
  await role(admin.id, "Admin");
  await role(omar.id, "Responder");
  await role(waiting.id, "Responder", true);
  await role(disabled.id, "Responder");
  const attendee = await rows.createUser("Attendee");
  await role(attendee.id, "Reporter");
  await prisma.event.update({
    where: { id: source.id },
    data: { contactEmail: "desk@example.org", timeZone: "Europe/Lisbon", codeOfConduct: "Be kind." },
  });
  const settings = {
    whoCanReport: "invite",
    withoutAccount: false,
    emergencyNumber: "112",
    answerWithinHours: 8,
  } as const;
  await prisma.eventReportSettings.create({
    data: { eventId: source.id, ...settings, posterOpenedAt: new Date() },
  });
  const copy = async (more: object = {}, by = admin.id) =>
    setUpEvent(
      { ...(await createContext(by)), organizationId: organization.id },
      EventSetupInput.parse({ name: `Next ${word()}`, copyFromEventId: source.id, ...more }),
    );
  return { organization, source, admin, omar, settings, copy };
}

describe("copying an event", () => {
  it("takes over settings, code of conduct, contact, zone and those on the team who can read, and no report or invite", async () => {
    const { organization, source, admin, omar, settings, copy } = await createSource();
    const { id: incidentId } = await rows.createIncident({ eventId: source.id });
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: omar.id, source: "reporter" },
    });
    await prisma.invite.create({
      data: { code: word(), organizationId: organization.id, eventId: source.id, role: "Responder" },
    });
    const event = await copy();
    expect(event).toMatchObject({
      contactEmail: "desk@example.org",
      timeZone: "Europe/Lisbon",
      codeOfConduct: "Be kind.",
      startDate: null,
    });
    const where = { eventId: event.id };
    expect(await prisma.eventReportSettings.findUnique({ where })).toMatchObject({
      ...settings,
      posterOpenedAt: null,
    });
    const roles = await prisma.eventRole.findMany({ where, orderBy: { roleName: "asc" } });
    expect(roles.map(({ userId, roleName, pending }) => [userId, roleName, pending])).toEqual(
      expect.arrayContaining([
        [admin.id, "Admin", false],
        [omar.id, "Responder", false],
      ]),
    );
    expect(roles).toHaveLength(2);
    expect(await prisma.incident.count({ where })).toBe(0);
    expect(await prisma.invite.count({ where })).toBe(0);
    expect(await prisma.auditEntry.findFirst({ where: { ...where, action: "event.create" } })).toMatchObject({
      data: { copiedFrom: source.id, admins: [admin.id] },
    });
  });

  it("keeps what is given, and takes null for nothing", async () => {
    const { copy } = await createSource();
    const event = await copy({ contactEmail: null, codeOfConduct: "Other words.", emergencyNumber: "999" });
    expect(event).toMatchObject({
      contactEmail: null,
      codeOfConduct: "Other words.",
      timeZone: "Europe/Lisbon",
    });
    expect((await loadEventReportSettings(event.id)).emergencyNumber).toBe("999");
  });

  it("moves the address of the earlier page in the code of conduct, and no longer one", async () => {
    const { source, copy } = await createSource();
    const page = (await copy({ codeOfConduct: "{contact}" })).codeOfConduct?.replace(/[^/]*$/, "");
    const codeOfConduct = `${page}${source.slug} and ${page}${source.slug}-2`;
    await prisma.event.update({ where: { id: source.id }, data: { codeOfConduct } });
    const event = await copy();
    expect(event.codeOfConduct).toBe(`${page}${event.slug} and ${page}${source.slug}-2`);
  });

  it("says the same of an event elsewhere, of one that the actor isn’t Admin of, and of none", async () => {
    const { organization, source, copy } = await createSource();
    const other = await createSource();
    const orgAdmin = await rows.createUser();
    const membership = { organizationId: organization.id, userId: orgAdmin.id, role: "org_admin" } as const;
    await prisma.organizationMember.create({ data: membership });
    const before = await prisma.event.count();
    const refused = { fields: { copyFromEventId: { key: "mustBeOwnEvent" } } };
    await expect(copy({ copyFromEventId: other.source.id })).rejects.toMatchObject(refused);
    await expect(copy({ copyFromEventId: source.id }, orgAdmin.id)).rejects.toMatchObject(refused);
    await expect(copy({ copyFromEventId: randomUUID() })).rejects.toMatchObject(refused);
    await expect(copy({}, other.admin.id)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await prisma.event.count()).toBe(before);
  });
});
