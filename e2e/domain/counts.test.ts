import { expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { INCIDENT_STATES, type IncidentState } from "#lib/incidents/schema.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

type Counts = Record<IncidentState, number>;

const stored = async (eventId: string): Promise<Counts> => {
  const slots = await prisma.incidentCount.findMany({ where: { eventId } });
  return Object.fromEntries(
    INCIDENT_STATES.map((state) => [state, slots.reduce((sum, slot) => sum + slot[state], 0)]),
  ) as Counts;
};

const counted = async (eventId: string): Promise<Counts> => {
  const groups = await prisma.incident.groupBy({ by: ["state"], where: { eventId }, _count: true });
  return Object.fromEntries(
    INCIDENT_STATES.map((state) => [state, groups.find((group) => group.state === state)?._count ?? 0]),
  ) as Counts;
};

const anEvent = async () => createEvent((await createOrganization()).id);

const workflowFields = (state: IncidentState) => ({
  state,
  firstResponseAt: state === "submitted" ? null : new Date(),
  resolvedAt: state === "resolved" || state === "closed" ? new Date() : null,
});

it("counts reports by state while many are written, moved and removed at once", async () => {
  const event = await anEvent();
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      createIncident({ eventId: event.id, ...workflowFields(INCIDENT_STATES[index % 5] as IncidentState) }),
    ),
  );
  const moves = made.slice(0, 30).map(({ id }, index) =>
    prisma.incident.update({
      where: { id },
      data: workflowFields(INCIDENT_STATES[(index * 3) % 5] as IncidentState),
    }),
  );
  const removals = made.slice(30, 35).map(({ id }) => prisma.incident.delete({ where: { id } }));
  await Promise.all([...moves, ...removals]);
  expect(await stored(event.id)).toEqual(await counted(event.id));
  expect(Object.values(await stored(event.id)).reduce((sum, n) => sum + n)).toBe(35);
});

it("counts what one statement changes in several events", async () => {
  const events = await Promise.all([anEvent(), anEvent()]);
  for (const { id } of events) for (let n = 0; n < 3; n += 1) await createIncident({ eventId: id });
  await prisma.incident.updateMany({
    where: { eventId: { in: events.map(({ id }) => id) } },
    data: workflowFields("closed"),
  });
  for (const { id } of events) expect(await stored(id)).toMatchObject({ submitted: 0, closed: 3 });
});

/** What the counters say of the open ones, and what there is. */
async function openOf(eventId: string) {
  const slots = await prisma.incidentCount.findMany({ where: { eventId } });
  const open = await prisma.incident.findMany({
    where: { eventId, state: { in: ["submitted", "acknowledged", "investigating"] } },
  });
  const sum = (name: (typeof OPEN_COUNTERS)[number]) => slots.reduce((total, slot) => total + slot[name], 0);
  const of = (fits: (one: (typeof open)[number]) => boolean) => open.filter(fits).length;
  return {
    stored: Object.fromEntries(OPEN_COUNTERS.map((name) => [name, sum(name)])),
    counted: {
      openUnassigned: of(({ assignedResponderId }) => assignedResponderId === null),
      openEscalated: of(({ escalatedAt }) => escalatedAt !== null),
      openCritical: of(({ severity }) => severity === "critical"),
      openHigh: of(({ severity }) => severity === "high"),
      openMedium: of(({ severity }) => severity === "medium"),
      openLow: of(({ severity }) => severity === "low"),
    },
  };
}

const OPEN_COUNTERS = [
  "openUnassigned",
  "openEscalated",
  "openCritical",
  "openHigh",
  "openMedium",
  "openLow",
] as const;

it("counts what is open by severity, without an assignee, and escalated, through every change", async () => {
  const event = await anEvent();
  const severities = ["low", "medium", "high", "critical", null] as const;
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      createIncident({ eventId: event.id, severity: severities[index % 5] ?? null }),
    ),
  );
  const somebody = await createUser();
  await Promise.all(
    made.map(({ id }, index) => {
      const severity = severities[(index * 2) % 5] ?? null;
      const changes = [
        { severity },
        { assignedResponderId: somebody.id },
        { escalatedAt: new Date(), severity },
        workflowFields("closed"),
      ];
      return prisma.incident.update({ where: { id }, data: changes[index % 4] ?? {} });
    }),
  );
  await prisma.incident.delete({ where: { id: made[1]?.id ?? "" } });
  await prisma.user.delete({ where: { id: somebody.id } });
  const { stored, counted } = await openOf(event.id);
  expect(stored).toEqual(counted);
  expect(stored).toMatchObject({ openUnassigned: 14 });
});

it("lets an event go with its reports and counters", async () => {
  const event = await anEvent();
  await createIncident({ eventId: event.id });
  await prisma.event.delete({ where: { id: event.id } });
  expect(await prisma.incidentCount.count({ where: { eventId: event.id } })).toBe(0);
  expect(await prisma.incident.count({ where: { eventId: event.id } })).toBe(0);
});
