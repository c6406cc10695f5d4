import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma } from "#lib/database/client.ts";
import { joinResponseTeam } from "#lib/events/roles.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { type Actor, can } from "#lib/operation/policy.ts";
import { createOrganization } from "#lib/organizations/organizations.ts";
import { NewOrganizationInput } from "#lib/organizations/schema.ts";
import * as rows from "#e2e/support/rows.ts";

/** Who manages a new organization, and how its admins come to the team of an event (contract 5.1, 6.11). */

async function createContext(userId: string) {
  const actor = (await findActorById(userId)) as Actor;
  return { actor, right: "test", call: { requestId: randomUUID() } as unknown as OperationCall };
}

describe("whoever creates an organization", () => {
  const create = async (more: object) => {
    const creator = await rows.createUser();
    await prisma.user.update({ where: { id: creator.id }, data: { systemAdmin: true } });
    const input = NewOrganizationInput.parse({ name: "Harbor House", slug: `harbor-${creator.id}`, ...more });
    const { organization, inviteLink } = await createOrganization(await createContext(creator.id), input);
    expect(inviteLink).toContain("http");
    return prisma.organizationMember.findMany({
      where: { organizationId: organization.id },
      select: { role: true, pending: true, userId: true },
    });
  };

  it("doesn't become a member, unless they say that they manage it", async () => {
    expect(await create({})).toEqual([]);
    expect(await create({ joinAsAdmin: true })).toMatchObject([{ role: "org_admin", pending: false }]);
  });
});

describe("joining the team of an event", () => {
  async function createPlace() {
    const organization = await rows.createOrganization();
    const event = await rows.createEvent(organization.id);
    const admin = await rows.createUser("Org Admin");
    const member = { organizationId: organization.id, userId: admin.id };
    await prisma.organizationMember.create({ data: { ...member, role: "org_admin" } });
    const join = async () =>
      joinResponseTeam({
        ...(await createContext(admin.id)),
        eventId: event.id,
        organizationId: organization.id,
      });
    return { organization, event, admin, member, join };
  }

  it("makes an org_admin an Admin of it, once, with an audit entry; what is hidden from them stays hidden", async () => {
    const { event, admin, join } = await createPlace();
    const { id: incidentId } = await rows.createIncident({ eventId: event.id });
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: admin.id, source: "reporter" },
    });
    await join();
    await join();
    expect(await prisma.eventRole.findMany({ where: { userId: admin.id } })).toMatchObject([
      { eventId: event.id, roleName: "Admin", pending: false },
    ]);
    expect(
      await prisma.auditEntry.count({
        where: { eventId: event.id, action: "eventRole.grant", actorId: admin.id },
      }),
    ).toBe(1);
    const actor = await findActorById(admin.id);
    expect(can(actor, "incident.list", { eventId: event.id })).toBe(true);
    expect(await listHiddenIncidentIds(admin)).toEqual([incidentId]);
  });

  it("isn't for viewers, people of other organizations, or an admin who no longer is one", async () => {
    const { organization, event, admin, member, join } = await createPlace();
    const subject = { eventId: event.id, organizationId: organization.id };
    const actor = (await findActorById(admin.id)) as Actor;
    expect(can(actor, "event.joinTeam", subject)).toBe(true);
    const other = await createPlace();
    expect(can((await findActorById(other.admin.id)) as Actor, "event.joinTeam", subject)).toBe(false);
    await prisma.organizationMember.update({
      where: { organizationId_userId: member },
      data: { role: "org_viewer" },
    });
    expect(can((await findActorById(admin.id)) as Actor, "event.joinTeam", subject)).toBe(false);
    await expect(join()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await prisma.eventRole.count({ where: { userId: admin.id } })).toBe(0);
  });
});
