import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { TestPerson, TestWorld } from "#e2e/support/world.ts";
import { type Role, SIGNED_IN } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";

/** Rows for the operations of a response team besides the list of incidents (contract 7.14). */

/** A report of maya's. */
const reportOf = (world: TestWorld) => world.report(world.maya, world.event);

/** Saves a view of the person who sends the request. */
async function ownView(world: TestWorld, role: Role): Promise<Example> {
  const viewId = "11111111-1111-4111-8111-111111111111";
  if (role === "nobody") return { params: { viewId } };
  const person = (world as unknown as Record<string, TestPerson>)[role] as TestPerson;
  const body = { name: `A view ${generateUniqueWord()}`, query: "status=submitted" };
  return {
    params: { viewId: (await world.as(person).post("/api/users/me/saved-views", body)).body.view.id },
  };
}

export const TRIAGE_ROWS: Row[] = [
  { method: "GET", path: "/api/users/me/incidents/summary", who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "GET",
    path: "/api/users/me/incidents/marks",
    who: SIGNED_IN,
    status: 200,
    example: async (world) => ({ query: `ids=${(await reportOf(world)).id}` }),
    beyond: true,
  },
  {
    method: "GET",
    path: "/api/users/me/incidents/neighbours",
    who: ["maya", "omar", "ada", "sam"],
    status: 200,
    example: async (world) => ({ query: `incidentId=${(await reportOf(world)).id}` }),
    beyond: true,
  },
  { method: "GET", path: "/api/users/me/incidents/refs", who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "GET",
    path: "/api/users/me/incidents/export",
    who: ["omar", "ada", "sam"],
    status: 200,
    example: async (world) => ({ query: `ids=${(await reportOf(world)).id}` }),
    beyond: true,
  },
  {
    method: "GET",
    path: "/api/users/me/incidents/export/matching",
    who: SIGNED_IN,
    status: 200,
    beyond: true,
  },
  {
    method: "POST",
    path: "/api/users/me/unread",
    who: ["maya", "omar", "ada", "sam"],
    status: 204,
    body: "json",
    example: async (world) => ({ body: { incidentId: (await reportOf(world)).id, eventId: world.event.id } }),
    beyond: true,
  },
  {
    method: "DELETE",
    path: "/api/users/me/unread/:incidentId",
    who: SIGNED_IN,
    status: 204,
    example: async (world) => ({ params: { incidentId: (await reportOf(world)).id } }),
    beyond: true,
  },
  { method: "GET", path: "/api/users/me/saved-views", who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "POST",
    path: "/api/users/me/saved-views",
    who: SIGNED_IN,
    status: 201,
    body: "json",
    example: () => ({ body: { name: `A view ${generateUniqueWord()}`, query: "status=submitted" } }),
    beyond: true,
  },
  {
    method: "DELETE",
    path: "/api/users/me/saved-views/:viewId",
    who: SIGNED_IN,
    status: 204,
    example: ownView,
    beyond: true,
  },
];
