import { SIGNED_IN } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for the people named in incidents (contract 7.22). */

const TEAM = ["omar", "ada", "sam"] as const;

const newPerson = () => ({ name: `Somebody ${generateUniqueWord()}`, role: "reported" });

async function addPerson(world: TestWorld) {
  const { id: incidentId } = await world.report(world.maya, world.event);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/people`;
  const { body } = await world.as(world.omar).post(path, newPerson());
  return { incidentId, recordId: body.person.id as string, personId: body.person.personId as string };
}

const withPerson = async (world: TestWorld): Promise<Example> => ({ params: await addPerson(world) });

async function withTwoPeople(world: TestWorld): Promise<Example> {
  const [{ incidentId, recordId }, { personId }] = [await addPerson(world), await addPerson(world)];
  return { params: { incidentId, recordId }, body: { personId } };
}

async function withJoinedPeople(world: TestWorld): Promise<Example> {
  const { params, body } = await withTwoPeople(world);
  const path = `/api/events/${world.event.id}/incidents/${params?.incidentId}/people/${params?.recordId}`;
  await world.as(world.omar).post(`${path}/join`, body);
  return { ...(params && { params }) };
}

const inEvent = (path: string): Row[] => [
  { method: "GET", path: `${path}/people`, who: TEAM, status: 200, example: withPerson },
  {
    method: "POST",
    path: `${path}/people`,
    who: TEAM,
    status: 201,
    body: "json",
    example: () => ({ body: newPerson() }),
  },
  {
    method: "PATCH",
    path: `${path}/people/:recordId`,
    who: TEAM,
    status: 200,
    body: "json",
    example: async (world) => ({ ...(await withPerson(world)), body: { role: "witness" } }),
  },
  { method: "DELETE", path: `${path}/people/:recordId`, who: TEAM, status: 204, example: withPerson },
  {
    method: "POST",
    path: `${path}/people/:recordId/join`,
    who: TEAM,
    status: 200,
    body: "json",
    example: withTwoPeople,
  },
  {
    method: "POST",
    path: `${path}/people/:recordId/split`,
    who: TEAM,
    status: 200,
    example: withJoinedPeople,
  },
];

export const PEOPLE_ROWS: Row[] = [
  ...["/api/events/:eventId/incidents/:incidentId", "/api/events/slug/:slug/incidents/:incidentId"].flatMap(
    inEvent,
  ),
  { method: "GET", path: "/api/people", who: SIGNED_IN, status: 200 },
  { method: "POST", path: "/api/people/:personId/name", who: TEAM, status: 200, example: withPerson },
];
