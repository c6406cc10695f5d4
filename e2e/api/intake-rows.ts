import type { Role } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import type { TestPerson, TestWorld } from "#e2e/support/world.ts";

/** Rows for reports that a team member takes for somebody (contract 14.4). */

const TEAM = ["omar", "ada", "sam"] as const;

export const NEW_INTAKE = {
  title: "Followed from the bar to the tram",
  description: "He walked behind me and would not stop talking.",
  channel: "in_person",
};

/**
 * Files an intake by the team member who sends the request, otherwise by omar: only the taker may have it confirmed.
 */
async function withIntake(world: TestWorld, role: Role): Promise<Example> {
  const taker = TEAM.some((one) => one === role) ? (world[role as "omar"] as TestPerson) : world.omar;
  const { body } = await world.as(taker).post(`/api/events/slug/${world.event.slug}/intakes`, NEW_INTAKE);
  return { params: { incidentId: body.incident.id } };
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
  ...onIncident("/api/events/:eventId"),
  ...onIncident("/api/events/slug/:slug"),
];
