import type { Role } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { sealDraft } from "#e2e/support/sealed-draft.ts";
import type { TestPerson, TestWorld } from "#e2e/support/world.ts";

/** Reports that a team member takes for somebody (contract 14.4). */

const TEAM = ["omar", "ada", "sam"] as const;

export const NEW_INTAKE = {
  title: "Followed from the bar to the tram",
  description: "He walked behind me and would not stop talking.",
  channel: "in_person",
};

/** Of omar, or of whoever of the team asks: only who took a report may have it confirmed. */
async function withIntake(world: TestWorld, role: Role): Promise<Example> {
  const taker = TEAM.some((one) => one === role) ? (world[role as "omar"] as TestPerson) : world.omar;
  const { body } = await world.as(taker).post(`/api/events/slug/${world.event.slug}/intakes`, NEW_INTAKE);
  return { params: { incidentId: body.incident.id } };
}

/** A draft can be sent by whoever it was sealed for; for a role that may not send one, it is omar's. */
async function withDraft(world: TestWorld, role: Role): Promise<Example> {
  const taker = TEAM.some((one) => one === role) ? (world[role as "omar"] as TestPerson) : world.omar;
  const { body: kit } = await world.as(taker).get(`/api/events/slug/${world.event.slug}/intakes/offline-kit`);
  const { draft } = kit.drafts[0];
  const content = { draft, takenAt: new Date().toISOString(), confirmed: true, report: NEW_INTAKE };
  return { body: { sealed: sealDraft(kit.key, content) } };
}

const onIncident = (path: string): Row[] => [
  {
    method: "GET",
    path: `${path}/incidents/:incidentId/intake`,
    who: TEAM,
    status: 200,
    example: withIntake,
  },
  {
    method: "POST",
    path: `${path}/incidents/:incidentId/intake/confirmation`,
    who: TEAM,
    status: 200,
    body: "json",
    example: async (world, role) => ({
      ...(await withIntake(world, role)),
      body: { location: "The tram stop" },
    }),
  },
];

export const INTAKE_ROWS: Row[] = [
  {
    method: "POST",
    path: "/api/events/slug/:slug/intakes",
    who: TEAM,
    status: 201,
    body: "json",
    example: () => ({ body: NEW_INTAKE }),
  },
  {
    method: "GET",
    path: "/api/events/slug/:slug/intakes/offline-kit",
    who: TEAM,
    status: 200,
  },
  {
    method: "POST",
    path: "/api/events/slug/:slug/intakes/sealed",
    who: TEAM,
    status: 201,
    body: "json",
    example: withDraft,
  },
  ...onIncident("/api/events/:eventId"),
  ...onIncident("/api/events/slug/:slug"),
];
