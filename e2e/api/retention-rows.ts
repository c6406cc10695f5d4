import type { Role } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for retention rules and holds (contract 17). */

const MEMBERS = ["viktor", "olga", "sam"] as const;
const TEAM = ["omar", "ada", "sam"] as const;
const REPORTER_AND_TEAM = ["maya", "omar", "ada", "sam"] as const;

const HOLD = { reason: "A court has asked for it.", reviewOn: "2090-01-31" };

async function finishedReport(world: TestWorld): Promise<Example> {
  const filed = await world.report(world.maya, world.event);
  await world.move(filed, "closed");
  return { params: { incidentId: filed.id } };
}

/** Files a report that somebody other than the person who sends the request has put on hold. */
async function heldReport(world: TestWorld, role: Role): Promise<Example> {
  const example = await finishedReport(world);
  const holder = role === "omar" ? world.ada : world.omar;
  const path = `/api/events/${world.event.id}/incidents/${example.params?.incidentId}/hold`;
  await world.as(holder).put(path, HOLD);
  return example;
}

export const RETENTION_ROWS: Row[] = [
  ...["/api/organizations/:organizationId", "/api/organizations/slug/:orgSlug"].flatMap((path): Row[] => [
    { method: "GET", path: `${path}/retention`, who: MEMBERS, status: 200, beyond: true },
    {
      method: "PUT",
      path: `${path}/retention`,
      who: ["olga", "sam"],
      status: 200,
      body: "json",
      beyond: true,
      example: () => ({ body: { resolvedMonths: 240 } }),
    },
  ]),
  ...["/api/events/:eventId", "/api/events/slug/:slug"].flatMap((path): Row[] => [
    {
      method: "GET",
      path: `${path}/incidents/:incidentId/retention`,
      who: REPORTER_AND_TEAM,
      status: 200,
      beyond: true,
      example: finishedReport,
    },
    {
      method: "PUT",
      path: `${path}/incidents/:incidentId/hold`,
      who: TEAM,
      status: 200,
      body: "json",
      beyond: true,
      example: async (world) => ({ ...(await finishedReport(world)), body: HOLD }),
    },
    {
      method: "DELETE",
      path: `${path}/incidents/:incidentId/hold`,
      who: TEAM,
      status: 200,
      beyond: true,
      example: heldReport,
    },
  ]),
];
