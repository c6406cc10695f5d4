import type { Role } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for the conflict check (contract 18). */

const TEAM = ["omar", "ada", "sam"] as const;

/** Files a report by maya that is under the conflict check. */
async function checkedReport(world: TestWorld): Promise<Example> {
  const { id } = await world.report(world.maya, world.event);
  await world.service.sql("update incidents set conflict_check = true where id = $1", [id]);
  return { params: { incidentId: id } };
}

const withBody =
  (body: unknown) =>
  async (world: TestWorld): Promise<Example> => ({ ...(await checkedReport(world)), body });

/**
 * Files a report that somebody else has opened without an answer, and that the person who sends the request has opened.
 */
async function bypassedReport(world: TestWorld, role: Role): Promise<Example> {
  const { params } = await checkedReport(world);
  const path = `/api/events/${world.event.id}/incidents/${params?.incidentId}/conflict-check`;
  const reason = "Somebody is in danger right now.";
  await world.as(role === "omar" ? world.ada : world.omar).post(`${path}/bypasses`, { reason });
  if (TEAM.some((one) => one === role)) await world.as(world[role as "ada"]).put(path, { answer: "none" });
  const [bypass] = await world.service.sql<{ id: string }>(
    "select id from conflict_bypasses where incident_id = $1",
    [params?.incidentId],
  );
  return { params: { ...params, bypassId: bypass?.id ?? "" } };
}

export const CONFLICT_ROWS: Row[] = ["/api/events/:eventId", "/api/events/slug/:slug"].flatMap(
  (event): Row[] => {
    const path = `${event}/incidents/:incidentId/conflict-check`;
    return [
      { method: "GET", path, who: TEAM, status: 200, beyond: true, example: checkedReport },
      {
        method: "PUT",
        path,
        who: TEAM,
        status: 204,
        body: "json",
        beyond: true,
        example: withBody({ answer: "soft" }),
      },
      {
        method: "POST",
        path: `${path}/bypasses`,
        who: TEAM,
        status: 204,
        body: "json",
        beyond: true,
        example: withBody({ reason: "Somebody is in danger right now." }),
      },
      {
        method: "POST",
        path: `${path}/bypasses/:bypassId/reviews`,
        who: TEAM,
        status: 204,
        beyond: true,
        example: bypassedReport,
      },
      {
        method: "PUT",
        path: `${path}/reported-person`,
        who: TEAM,
        status: 204,
        body: "json",
        beyond: true,
        example: async (world) => ({
          params: { incidentId: (await world.report(world.maya, world.event)).id },
          body: { name: "Jo Example" },
        }),
      },
    ];
  },
);
