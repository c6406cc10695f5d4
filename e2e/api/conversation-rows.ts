import { ROLES } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/** Rows for conversations with reported people and witnesses (contract 14.5). */

const TEAM = ["omar", "ada", "sam"] as const;

export const NEW_CONVERSATION = { party: "reported_person", label: "The man at the bar" };
export const NEW_DECISION = {
  reported: "That somebody was followed and spoken to after they had said no.",
  finding: "We find that this happened.",
  measure: "You may not enter the evening events.",
  measureEndsOn: "2030-05-31",
  appeal: "Write to us here within 14 days. Two people who took no part decide.",
};

type CreatedConversation = { incidentId: string; conversationId: string; words: string };

export async function createConversation(world: TestWorld): Promise<CreatedConversation> {
  const { id: incidentId } = await world.report(world.maya, world.event);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/conversations`;
  const { body } = await world.as(world.omar).post(path, NEW_CONVERSATION);
  return { incidentId, conversationId: body.conversation.id, words: body.words };
}

async function withConversation(world: TestWorld): Promise<Example> {
  const { incidentId, conversationId } = await createConversation(world);
  return { params: { incidentId, conversationId } };
}

type OpenedConversation = CreatedConversation & { cookie: string };

async function openNewConversation(world: TestWorld): Promise<OpenedConversation> {
  const created = await createConversation(world);
  const client = world.service.visitor();
  await client.post("/api/mailbox/session", { words: created.words });
  return { ...created, cookie: client.mailbox ?? "" };
}

const photo = async () => ({
  field: "relatedFiles",
  name: `${generateUniqueWord()}.jpg`,
  bytes: await createPhoto(),
  type: "image/jpeg",
});

async function withFile(world: TestWorld) {
  const { cookie, incidentId, conversationId } = await openNewConversation(world);
  const visitor = world.service.visitor();
  await visitor.post("/api/mailbox/files", buildForm({}, await photo()), { headers: { cookie } });
  const { body } = await visitor.get("/api/mailbox", { headers: { cookie } });
  return { cookie, incidentId, conversationId, fileId: body.mailbox.files[0].id as string };
}

async function withMessage(world: TestWorld): Promise<Example> {
  const { cookie, incidentId, conversationId } = await openNewConversation(world);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/conversations/${conversationId}/messages`;
  const { body } = await world.as(world.omar).post(path, { body: "We would like to hear from you." });
  return { cookie, body: { messageId: body.conversation.messages[0].id } };
}

const ofTeam = (path: string): Row[] => [
  { method: "GET", path: `${path}/conversations`, who: TEAM, status: 200, example: withConversation },
  {
    method: "POST",
    path: `${path}/conversations`,
    who: TEAM,
    status: 201,
    body: "json",
    example: () => ({ body: NEW_CONVERSATION }),
  },
  {
    method: "DELETE",
    path: `${path}/conversations/:conversationId`,
    who: TEAM,
    status: 200,
    example: withConversation,
  },
  {
    method: "POST",
    path: `${path}/conversations/:conversationId/messages`,
    who: TEAM,
    status: 201,
    body: "json",
    example: async (world) => ({
      ...(await withConversation(world)),
      body: { body: "We’d like to hear you." },
    }),
  },
  {
    method: "POST",
    path: `${path}/conversations/:conversationId/decisions`,
    who: TEAM,
    status: 201,
    body: "json",
    example: async (world) => ({ ...(await withConversation(world)), body: NEW_DECISION }),
  },
  {
    method: "POST",
    path: `${path}/conversations/:conversationId/words`,
    who: TEAM,
    status: 201,
    example: withConversation,
  },
  {
    method: "GET",
    path: `${path}/conversations/:conversationId/files/:fileId/download`,
    who: TEAM,
    status: 200,
    example: async (world) => {
      const { incidentId, conversationId, fileId } = await withFile(world);
      return { params: { incidentId, conversationId, fileId } };
    },
  },
];

/** The rest of what a mailbox does is in mailbox-rows.ts: it is the same, whoever opened it. */
const READING: Row = {
  method: "POST",
  path: "/api/mailbox/reading",
  who: ROLES,
  status: 204,
  body: "json",
  example: withMessage,
  opensMailbox: true,
};

export const CONVERSATION_ROWS: Row[] = [
  READING,
  ...ofTeam("/api/events/:eventId/incidents/:incidentId"),
  ...ofTeam("/api/events/slug/:slug/incidents/:incidentId"),
];
