import { beforeAll, describe, expect, it } from "vitest";
import { exportCurrentUserData } from "#lib/account-export/account-export.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma } from "#lib/database/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** What exports leave out: what a withheld role would show. */

let organizationId: string;
let eventId: string;
let incidentId: string;
let readerId: string;

const loadReader = async (): Promise<Actor> => {
  const actor = await findActorById(readerId);
  if (!actor) throw new Error("no actor");
  return actor;
};
const call = { requestId: "request" };

const exportAccount = async () =>
  exportCurrentUserData({ actor: await loadReader(), right: "self", call } as never);

beforeAll(async () => {
  organizationId = (await createOrganization()).id;
  eventId = (await createEvent(organizationId)).id;
  readerId = (await createUser("Xenia Moreau")).id;
  await prisma.organizationMember.create({ data: { organizationId, userId: readerId, role: "org_admin" } });
  await prisma.eventRole.create({ data: { eventId, userId: readerId, roleName: "Admin" } });
  incidentId = (await createIncident({ eventId })).id;
  const own = { userId: readerId, incidentId, eventId };
  await prisma.pin.create({ data: own });
  await prisma.notification.create({
    data: { ...own, kind: "incident.created", deduplicationId: "created", organizationId },
  });
  const text = { incidentId, authorId: readerId, body: "What I wrote." };
  await prisma.teamNote.create({ data: text });
  await prisma.reporterMessage.create({ data: text });
});

describe("the export of one's own data", () => {
  it("has pins and notifications of an event only while the role in it counts", async () => {
    const listIncidentIds = async () => {
      const { pins, notifications, notes, messages } = await (await exportAccount()).json();
      const ids = [pins[0]?.id, ...[notifications[0], notes[0], messages[0]].map((one) => one?.incidentId)];
      return ids.map((id) => id === incidentId);
    };
    const requireSecondFactor = (data: boolean) =>
      prisma.organization.update({ where: { id: organizationId }, data: { requireSecondFactor: data } });
    expect(await listIncidentIds()).toEqual([true, true, true, true]);
    await requireSecondFactor(true);
    expect(await listIncidentIds()).toEqual([false, false, false, false]);
    await requireSecondFactor(false);
    await prisma.eventRole.updateMany({ where: { userId: readerId }, data: { roleName: "Reporter" } });
    expect(await listIncidentIds()).toEqual([false, false, false, true]);
    await prisma.eventRole.updateMany({ where: { userId: readerId }, data: { roleName: "Admin" } });
  });
});
