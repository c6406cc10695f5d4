import { randomUUID } from "node:crypto";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { findActorById, findApiTokenActor } from "#lib/accounts/actor-queries.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import { changeSystemRoleOrDisabled } from "#lib/admin/users.ts";
import { prisma } from "#lib/database/client.ts";
import { handOverIncidents } from "#lib/events/handover.ts";
import { openInEmergency } from "#lib/readers/emergency.ts";
import { endReaderList, letLaterPersonIn } from "#lib/readers/hiding.ts";
import {
  listHiddenFromForActor,
  listIncidentReaders,
  listNamesOfPeopleHiddenFrom,
} from "#lib/readers/queries.ts";
import { updateIncident } from "#lib/incidents/state-change.ts";
import { IncidentChangeInput } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What a SystemAdmin can do with a hidden incident that they opened for a limited time (contract 16.5), and what not. */

/** An incident that is hidden from a SystemAdmin who is on the team or the outside person, and who opened it. */
async function createOpenedIncident(holds: "team" | "outside") {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [excluded, admin] = [await createUser("Ada"), await createUser("Berta")];
  const { id: organizationId } = organization;
  const { id: eventId } = event;
  for (const { id } of [excluded, admin])
    await prisma.user.update({ where: { id }, data: { systemAdmin: true } });
  await prisma.eventRole.create({ data: { eventId, userId: admin.id, roleName: "Admin" } });
  const { id: incidentId } = await createIncident({ eventId });
  if (holds === "team")
    await prisma.eventRole.create({ data: { eventId, userId: excluded.id, roleName: "Responder" } });
  else {
    await prisma.organizationMember.create({
      data: { organizationId, userId: excluded.id, role: "org_viewer" },
    });
    await prisma.incidentReader.create({
      data: { access: "full", source: "outside", incidentId, userId: excluded.id },
    });
  }
  const hidden = { access: "none", source: "reporter" } as const;
  await prisma.incidentReader.upsert({
    where: { incidentId_userId: { incidentId, userId: excluded.id } },
    create: { incidentId, userId: excluded.id, ...hidden },
    update: hidden,
  });
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const contextOf = async ({ id }: { id: string }) => {
    const actor = { ...((await findActorById(id)) as Actor), sessionId: randomUUID() };
    return { organizationId, eventId, actor, right: "system", call } as any;
  };
  await openInEmergency({ ...(await contextOf(excluded)), incidentId }, { reason: "Nobody else is there." });
  return { eventId, incidentId, excluded, admin, contextOf };
}

const INVALID_ASSIGNEE = { code: "INVALID_ASSIGNEE" };

it.each(["team", "outside"] as const)(
  "an incident isn't assigned to somebody from whom it is hidden and who opened it, on the %s",
  async (holds) => {
    const { incidentId, excluded, admin, contextOf } = await createOpenedIncident(holds);
    const change = IncidentChangeInput.parse({ assignedResponderId: excluded.id });
    for (const person of [excluded, admin])
      await expect(
        updateIncident(await contextOf(person), incidentId, change),
        person.name,
      ).rejects.toMatchObject(INVALID_ASSIGNEE);
    const severe = IncidentChangeInput.parse({ severity: "high" });
    expect(await updateIncident(await contextOf(excluded), incidentId, severe)).toMatchObject({
      severity: "high",
    });
  },
);

it("an incident isn't handed over to somebody from whom it is hidden and who opened it", async () => {
  const { incidentId, excluded, admin, contextOf } = await createOpenedIncident("team");
  await prisma.incident.update({ where: { id: incidentId }, data: { assignedResponderId: admin.id } });
  const context = { ...(await contextOf(admin)), userId: admin.id };
  const handover = { toUserId: excluded.id, incidentIds: [incidentId] };
  await expect(handOverIncidents(context, handover)).rejects.toMatchObject(INVALID_ASSIGNEE);
});

it.each([
  ["loses the system role", [{ systemAdmin: false }]],
  ["is disabled and enabled again", [{ disabled: true }, { disabled: false }]],
])("a hidden incident is closed again when the SystemAdmin who opened it %s", async (_, changes) => {
  const { incidentId, excluded, admin, contextOf } = await createOpenedIncident("team");
  expect(await listHiddenIncidentIds(excluded)).not.toContain(incidentId);
  for (const change of changes)
    await changeSystemRoleOrDisabled({ ...(await contextOf(admin)), userId: excluded.id }, change);
  expect(await listHiddenIncidentIds(excluded)).toContain(incidentId);
});

it("a hidden incident that was opened in a session stays hidden from tokens", async () => {
  const { eventId, incidentId, excluded } = await createOpenedIncident("team");
  for (const only of [{}, { eventId }]) {
    const token = randomUUID();
    await prisma.apiToken.create({
      data: {
        userId: excluded.id,
        name: "Script",
        scope: "read",
        tokenHash: hashToken(token),
        expiresAt: new Date(Date.now() + 86_400_000),
        ...only,
      } as never,
    });
    expect(await listHiddenIncidentIds((await findApiTokenActor(token))!)).toContain(incidentId);
  }
});

it("a reporter doesn't learn who opened their report in an emergency", async () => {
  const { eventId, incidentId, excluded, admin, contextOf } = await createOpenedIncident("team");
  const reporter = await createUser("Rita");
  await prisma.eventRole.create({ data: { eventId, userId: reporter.id, roleName: "Reporter" } });
  await prisma.incident.update({
    where: { id: incidentId },
    data: { listed: true, reporterId: reporter.id },
  });
  await prisma.eventReportSettings.upsert({
    where: { eventId },
    create: { eventId, showTeam: true },
    update: { showTeam: true },
  });
  await prisma.incidentReader.create({
    data: { incidentId, userId: admin.id, access: "full", source: "team" },
  });
  const outsider = await createUser("Sol");
  await prisma.user.update({ where: { id: outsider.id }, data: { systemAdmin: true } });
  await openInEmergency({ ...(await contextOf(outsider)), incidentId }, { reason: "Nobody else is there." });
  const forReporter = { ...(await contextOf(reporter)), incidentId, reporterId: reporter.id };
  const { hiddenFrom } = await listHiddenFromForActor(forReporter);
  expect(hiddenFrom.map(({ person, openedUntil }) => [person?.id, openedUntil])).toEqual([
    [excluded.id, null],
  ]);
  const readers = await listIncidentReaders(forReporter);
  expect(readers.flatMap(({ person }) => person?.id ?? [])).toEqual([admin.id]);
  expect((await listNamesOfPeopleHiddenFrom(incidentId)).length).toBe(1);
});

it("nobody is let in again who was hidden while others were let in", async () => {
  const { eventId, incidentId, admin, contextOf } = await createOpenedIncident("team");
  await prisma.incident.update({ where: { id: incidentId }, data: { listed: true } });
  await prisma.incidentReader.create({
    data: { incidentId, userId: admin.id, access: "full", source: "team" },
  });
  const later = await createUser("Lou");
  await prisma.eventRole.create({ data: { eventId, userId: later.id, roleName: "Responder" } });
  const context = { ...(await contextOf(admin)), incidentId, reporterId: null };
  const accessOf = async () =>
    (await prisma.incidentReader.findFirst({ where: { incidentId, userId: later.id } }))?.access;
  await prisma.incidentReader.create({
    data: { incidentId, userId: later.id, access: "none", source: "team", byId: admin.id },
  });
  await letLaterPersonIn(context, later.id);
  expect(await accessOf()).toBe("none");
  await prisma.incidentReader.deleteMany({ where: { incidentId, userId: later.id } });
  await letLaterPersonIn(context, later.id);
  expect(await accessOf()).toBe("full");
});

it("an incident isn't hidden from whoever opened it without being on its list once that ends", async () => {
  const { incidentId, excluded, admin, contextOf } = await createOpenedIncident("team");
  const row = { incidentId_userId: { incidentId, userId: excluded.id } };
  await prisma.incident.update({ where: { id: incidentId }, data: { listed: true } });
  const onList = { incidentId, userId: admin.id, access: "full", source: "team" } as const;
  await prisma.incidentReader.create({ data: onList });
  await prisma.incidentReader.update({ where: row, data: { source: "emergency" } });
  const readsIt = async () => !(await listHiddenIncidentIds(excluded)).includes(incidentId);
  expect(await readsIt()).toBe(true);
  await prisma.incidentReader.update({ where: row, data: { openedUntil: new Date() } });
  expect(await readsIt()).toBe(false);
  await endReaderList({ ...(await contextOf(admin)), incidentId, reporterId: null });
  expect(await readsIt()).toBe(true);
  expect(await prisma.incidentReader.count({ where: { incidentId } })).toBe(0);
});
