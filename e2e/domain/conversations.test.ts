import { randomUUID } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { prisma, runSqlTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { insertEvidence, type StoredUpload } from "#lib/files/evidence.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  closeConversation,
  createConversation,
  renewWords,
  sendDecisionToParty,
  sendMessageToParty,
} from "#lib/conversations/conversations.ts";
import {
  createConversation as createConversationOperation,
  createConversationWords,
} from "#lib/conversations/operations.ts";
import { performOperation } from "#lib/http/perform.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { NEW_DECISION, NEW_CONVERSATION } from "#e2e/api/conversation-rows.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Roles that are lost while a request about a conversation is under way. */

const organization = await createOrganization();
const event = await createEvent(organization.id);
const user = await createUser("Omar Haddad");
const incident = await createIncident({ eventId: event.id });
const context = {
  organizationId: organization.id,
  eventId: event.id,
  incidentId: incident.id,
  actor: { id: user.id, name: user.name, systemAdmin: false } as Actor,
  right: "event:Responder",
  call: { requestId: "00000000-0000-4000-8000-000000000000", ifMatch: null } as OperationCall,
};
const FORBIDDEN = { code: "FORBIDDEN" };
const newConversation = { ...NEW_CONVERSATION, party: "reported_person" as const };

async function holdRole(roleName: EventRole | null): Promise<void> {
  await prisma.eventRole.deleteMany({ where: { userId: user.id } });
  if (roleName) await prisma.eventRole.create({ data: { eventId: event.id, userId: user.id, roleName } });
}

const countRows = () =>
  Promise.all([
    prisma.conversation.count({ where: { closedOn: null } }),
    prisma.message.count(),
    prisma.incidentHistory.count(),
    prisma.auditEntry.count(),
  ]);

beforeEach(() => holdRole("Responder"));

it.each([null, "Reporter"] as const)(
  "refuses a person whose role is now %s, and writes nothing",
  async (role) => {
    const { conversation } = await createConversation(context, newConversation);
    const onConversation = { ...context, conversationId: conversation.id };
    const before = await countRows();
    await holdRole(role);
    await expect(createConversation(context, newConversation)).rejects.toMatchObject(FORBIDDEN);
    await expect(sendMessageToParty(onConversation, "Hello.")).rejects.toMatchObject(FORBIDDEN);
    await expect(sendDecisionToParty(onConversation, NEW_DECISION)).rejects.toMatchObject(FORBIDDEN);
    await expect(renewWords(onConversation)).rejects.toMatchObject(FORBIDDEN);
    await expect(closeConversation(onConversation)).rejects.toMatchObject(FORBIDDEN);
    expect(await countRows()).toEqual(before);
  },
);

it("requires a random idempotency key where the stored response would hold the code", async () => {
  const { conversation } = await createConversation(context, newConversation);
  const before = await countRows();
  const params = { eventId: event.id, incidentId: incident.id, conversationId: conversation.id };
  const actor = {
    ...context.actor,
    organizations: [],
    events: [{ eventId: event.id, slug: event.slug, organizationId: organization.id, roles: ["Responder"] }],
  } as unknown as Actor;
  const send = (
    operation: typeof createConversationOperation | typeof createConversationWords,
    key: string,
  ) => {
    const call = { ...context.call, idempotencyKey: key, files: [], responseHeaders: {} };
    return performOperation(operation, { actor, call }, { params, readInput: async () => NEW_CONVERSATION });
  };
  for (const key of ["conversation-1", "1".repeat(36)])
    for (const operation of [createConversationOperation, createConversationWords])
      await expect(send(operation, key)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  expect(await countRows()).toEqual(before);
  await expect(send(createConversationWords, randomUUID())).resolves.toMatchObject({
    words: expect.any(String),
  });
});

it("closes a conversation once", async () => {
  const { conversation } = await createConversation(context, newConversation);
  const onConversation = { ...context, conversationId: conversation.id };
  const { closedOn } = await closeConversation(onConversation);
  const before = await countRows();
  expect((await closeConversation(onConversation)).closedOn).toEqual(closedOn);
  expect(await countRows()).toEqual(before);
});

/** Adds the row of a file that takes a share of the event's space; from a conversation, or with an anonymous report. */
const addFile = (share: number, conversationId?: string) =>
  runSqlTransaction(
    (tx) =>
      insertEvidence(tx, {
        incidentId: incident.id,
        eventId: event.id,
        uploadedById: null,
        files: [createStored(share)],
        visibleToReporter: conversationId === undefined,
        createdAt: Prisma.sql`now()`,
        ...(conversationId && { conversationId }),
      }),
    async (_, ids) => ids,
  );

const createStored = (share: number): StoredUpload => ({
  filename: "photo.jpg",
  mimetype: "image/jpeg",
  size: Math.floor(env().EVENT_EVIDENCE_BYTES * share),
  sha256: "0".repeat(64),
  copySha256: null,
  storageKey: crypto.randomUUID(),
  originalKey: null,
  originalSize: null,
  originalKeyId: null,
  cleanState: "clean",
  reveals: [],
  lost: [],
});

it("a conversation fills neither the space of other conversations nor that of anonymous reports, which don't fill theirs", async () => {
  const conversations = [];
  for (let count = 0; count < 3; count += 1)
    conversations.push((await createConversation(context, newConversation)).conversation.id);
  const [first, second, third] = conversations;
  const isFull = (key: string) => expect.objectContaining({ code: "QUOTA_EXCEEDED", key });
  await addFile(0.12, first);
  await expect(addFile(0.01, first)).rejects.toEqual(isFull("conversationQuotaExceeded"));
  await addFile(0.24);
  await addFile(0.25);
  await expect(addFile(0.02)).rejects.toEqual(isFull("anonymousQuotaExceeded"));
  await addFile(0.12, second);
  await expect(addFile(0.02, third)).rejects.toEqual(isFull("conversationQuotaExceeded"));
  await addFile(0.005, third);
});

it("files from outside the team leave a part of the event's space to the team", async () => {
  const isFull = expect.objectContaining({ code: "QUOTA_EXCEEDED", key: "eventQuotaExceeded" });
  const [member, outsider] = [user.id, (await createUser("Maya Castillo")).id];
  const addNamed = (share: number, uploadedById: string, onTeam: boolean) =>
    runSqlTransaction(
      (tx) =>
        insertEvidence(tx, {
          incidentId: incident.id,
          eventId: event.id,
          uploadedById,
          onTeam,
          files: [createStored(share)],
          createdAt: Prisma.sql`now()`,
        }),
      async (_, ids) => ids,
    );
  await prisma.relatedFile.deleteMany({ where: { eventId: event.id } });
  const conversationId = (await createConversation(context, newConversation)).conversation.id;
  await addNamed(0.1, member, true);
  await addFile(0.24);
  await addFile(0.25);
  await addFile(0.1, conversationId);
  await addNamed(0.15, outsider, false);
  await expect(addNamed(0.02, outsider, false)).rejects.toEqual(isFull);
  await expect(addFile(0.02, conversationId)).rejects.toEqual(isFull);
  await addNamed(0.1, member, true);
});
