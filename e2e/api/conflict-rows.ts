import { SIGNED_IN } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for the conflict check (contract 16.9). */

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

const ROWS_OF_INCIDENTS: Row[] = ["/api/events/:eventId", "/api/events/slug/:slug"].flatMap(
  (event): Row[] => {
    const incident = `${event}/incidents/:incidentId`;
    const path = `${incident}/conflict-check`;
    return [
      { method: "GET", path, who: TEAM, status: 200, beyond: true, example: checkedReport },
      {
        method: "POST",
        path: `${incident}/readers/me/answer`,
        who: TEAM,
        status: 204,
        body: "json",
        beyond: true,
        example: withBody({ answer: "soft" }),
      },
      {
        method: "POST",
        path: `${incident}/readers/me/emergency`,
        who: TEAM,
        status: 200,
        body: "json",
        beyond: true,
        example: withBody({ reason: "Somebody is in danger right now." }),
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

export const CONFLICT_ROWS: Row[] = [
  { method: "GET", path: "/api/users/me/unanswered-incidents", who: SIGNED_IN, status: 200, beyond: true },
  ...ROWS_OF_INCIDENTS,
];
