import { ROLES } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for letterboxes of reported people and witnesses (contract 14.5). */

const TEAM = ["omar", "ada", "sam"] as const;

export const NEW_LETTERBOX = { kind: "reported_person", label: "The man at the bar" };
export const NEW_DECISION = {
  reported: "That somebody was followed and spoken to after they had said no.",
  finding: "We find that this happened.",
  measure: "You may not enter the evening events.",
  measureEndsOn: "2030-05-31",
  appeal: "Write to us here within 14 days. Two people who took no part decide.",
};

type CreatedLetterbox = { incidentId: string; letterboxId: string; code: string };

export async function createLetterbox(world: TestWorld): Promise<CreatedLetterbox> {
  const { id: incidentId } = await world.report(world.maya, world.event);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/letterboxes`;
  const { body } = await world.as(world.omar).post(path, NEW_LETTERBOX);
  return { incidentId, letterboxId: body.letterbox.id, code: body.code };
}

async function withLetterbox(world: TestWorld): Promise<Example> {
  const { incidentId, letterboxId } = await createLetterbox(world);
  return { params: { incidentId, letterboxId } };
}

type OpenedLetterbox = CreatedLetterbox & { cookie: string };

async function openNewLetterbox(world: TestWorld): Promise<OpenedLetterbox> {
  const created = await createLetterbox(world);
  const client = world.service.visitor();
  await client.post("/api/letterbox/session", { code: created.code });
  return { ...created, cookie: client.letterbox ?? "" };
}

const withOpened = async (world: TestWorld): Promise<Example> => ({
  cookie: (await openNewLetterbox(world)).cookie,
});

const photo = async () => ({
  field: "relatedFiles",
  name: `${generateUniqueWord()}.jpg`,
  bytes: await createPhoto(),
  type: "image/jpeg",
});

async function withFile(world: TestWorld) {
  const { cookie, incidentId, letterboxId } = await openNewLetterbox(world);
  const visitor = world.service.visitor();
  await visitor.post("/api/letterbox/files", buildForm({}, await photo()), { headers: { cookie } });
  const { body } = await visitor.get("/api/letterbox", { headers: { cookie } });
  return { cookie, incidentId, letterboxId, fileId: body.letterbox.files[0].id as string };
}

async function withLetter(world: TestWorld): Promise<Example> {
  const { cookie, incidentId, letterboxId } = await openNewLetterbox(world);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/letterboxes/${letterboxId}/letters`;
  const { body } = await world.as(world.omar).post(path, { body: "We would like to hear from you." });
  return { cookie, body: { letterId: body.letterbox.letters[0].id } };
}

const ofTeam = (path: string): Row[] => [
  { method: "GET", path: `${path}/letterboxes`, who: TEAM, status: 200, example: withLetterbox },
  {
    method: "POST",
    path: `${path}/letterboxes`,
    who: TEAM,
    status: 201,
    body: "json",
    example: () => ({ body: NEW_LETTERBOX }),
  },
  {
    method: "DELETE",
    path: `${path}/letterboxes/:letterboxId`,
    who: TEAM,
    status: 200,
    example: withLetterbox,
  },
  {
    method: "POST",
    path: `${path}/letterboxes/:letterboxId/letters`,
    who: TEAM,
    status: 201,
    body: "json",
    example: async (world) => ({ ...(await withLetterbox(world)), body: { body: "We’d like to hear you." } }),
  },
  {
    method: "POST",
    path: `${path}/letterboxes/:letterboxId/decisions`,
    who: TEAM,
    status: 201,
    body: "json",
    example: async (world) => ({ ...(await withLetterbox(world)), body: NEW_DECISION }),
  },
  {
    method: "POST",
    path: `${path}/letterboxes/:letterboxId/code`,
    who: TEAM,
    status: 201,
    example: withLetterbox,
  },
  {
    method: "GET",
    path: `${path}/letterboxes/:letterboxId/files/:fileId/download`,
    who: TEAM,
    status: 200,
    example: async (world) => {
      const { incidentId, letterboxId, fileId } = await withFile(world);
      return { params: { incidentId, letterboxId, fileId } };
    },
  },
];

const OF_HOLDER: Row[] = [
  {
    method: "POST",
    path: "/api/letterbox/session",
    who: ROLES,
    status: 204,
    body: "json",
    example: async (world) => ({ body: { code: (await createLetterbox(world)).code } }),
  },
  { method: "DELETE", path: "/api/letterbox/session", who: ROLES, status: 204 },
  {
    method: "GET",
    path: "/api/letterbox",
    who: ROLES,
    status: 200,
    example: withOpened,
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/letterbox/letters",
    who: ROLES,
    status: 204,
    body: "json",
    example: async (world) => ({ ...(await withOpened(world)), body: { body: "I was not there." } }),
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/letterbox/reading",
    who: ROLES,
    status: 204,
    body: "json",
    example: withLetter,
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/letterbox/files",
    who: ROLES,
    status: 204,
    body: "multipart",
    example: async (world) => ({ ...(await withOpened(world)), body: buildForm({}, await photo()) }),
    opensMailbox: true,
  },
  {
    method: "GET",
    path: "/api/letterbox/files/:fileId/download",
    who: ROLES,
    status: 200,
    example: async (world) => {
      const { cookie, fileId } = await withFile(world);
      return { cookie, params: { fileId } };
    },
    opensMailbox: true,
  },
];

export const LETTERBOX_ROWS: Row[] = [
  ...OF_HOLDER,
  ...ofTeam("/api/events/:eventId/incidents/:incidentId"),
  ...ofTeam("/api/events/slug/:slug/incidents/:incidentId"),
];
