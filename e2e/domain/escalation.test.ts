import { expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { escalateOverdueIncidents } from "#lib/incidents/escalation.ts";
import { createEvent, createIncident, createOrganization } from "#e2e/support/rows.ts";

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

it("escalates reports without a response within the deadline, once, with a history entry", async () => {
  const { id: eventId } = await createEvent((await createOrganization()).id);
  const deadline = env().RESPONSE_DEADLINE_HOURS;
  const late = await createIncident({ eventId, createdAt: hoursAgo(deadline + 1) });
  const early = await createIncident({ eventId, createdAt: hoursAgo(deadline - 1) });
  const acknowledged = await createIncident({
    eventId,
    createdAt: hoursAgo(deadline + 1),
    state: "acknowledged",
    firstResponseAt: hoursAgo(1),
  });

  expect(await escalateOverdueIncidents()).toBe(1);
  const escalated = await prisma.incident.findUniqueOrThrow({ where: { id: late.id } });
  expect(escalated.escalatedAt).not.toBeNull();
  expect(escalated.updatedAt > late.updatedAt).toBe(true);
  for (const { id } of [early, acknowledged]) {
    expect((await prisma.incident.findUniqueOrThrow({ where: { id } })).escalatedAt).toBeNull();
  }
  expect(await prisma.incidentHistory.findMany({ where: { eventId } })).toMatchObject([
    { incidentId: late.id, action: "deadline", actorId: null },
  ]);

  expect(await escalateOverdueIncidents()).toBe(0);
  expect((await prisma.incident.findUniqueOrThrow({ where: { id: late.id } })).escalatedAt).toEqual(
    escalated.escalatedAt,
  );
});

it("notifies once of an overdue urgent report, although it is escalated from the start", async () => {
  const { id: eventId } = await createEvent((await createOrganization()).id);
  const minutes = env().URGENT_DEADLINE_MINUTES;
  const createdAt = hoursAgo((minutes + 1) / 60);
  const urgent = { eventId, severity: "critical", urgent: true, createdAt, escalatedAt: createdAt } as const;
  const late = await createIncident(urgent);
  await createIncident({ ...urgent, createdAt: new Date(), escalatedAt: new Date() });
  await createIncident({ ...urgent, urgent: false });
  await prisma.outboxEvent.deleteMany();
  expect(await escalateOverdueIncidents()).toBe(1);
  expect(await prisma.outboxEvent.findMany()).toMatchObject([
    { kind: "incident.escalated", incidentId: late.id, actorId: null },
  ]);
  expect(await prisma.incidentHistory.findMany({ where: { eventId } })).toMatchObject([
    { incidentId: late.id, action: "deadline", toValue: `${minutes} min` },
  ]);
  const { escalatedAt } = await prisma.incident.findUniqueOrThrow({ where: { id: late.id } });
  expect(escalatedAt).toEqual(createdAt);
  expect(await escalateOverdueIncidents()).toBe(0);
});
