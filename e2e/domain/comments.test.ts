import { beforeEach, describe, expect, it } from "vitest";
import type { OperationCall } from "#lib/operation/operation.ts";
import { editOwnMessage, removeMessage, writeMessage } from "#lib/conversations/comment-messages.ts";
import { editOwnNote, removeNote, writeNote } from "#lib/conversations/notes.ts";
import { listCommentsForTeam } from "#lib/conversations/comment-queries.ts";
import { prisma } from "#lib/database/client.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** Roles that are lost while a request is under way: what was read with the session no longer holds. */

const organization = await createOrganization();
const event = await createEvent(organization.id);
const user = await createUser("Omar Haddad");
const incident = await createIncident({ eventId: event.id, reporterId: user.id });
const foreign = await createIncident({ eventId: event.id });

const call = { requestId: "00000000-0000-4000-8000-000000000000", ifMatch: null } as OperationCall;
const actor = { id: user.id, name: user.name, systemAdmin: false } as Actor;
const context = {
  organizationId: organization.id,
  eventId: event.id,
  incidentId: incident.id,
  actor,
  right: "event:Responder",
  call,
};

async function hold(...roles: EventRole[]): Promise<void> {
  await prisma.eventRole.deleteMany({ where: { userId: user.id } });
  await prisma.eventRole.createMany({
    data: roles.map((roleName) => ({ eventId: event.id, userId: user.id, roleName })),
  });
}

const FORBIDDEN = { code: "FORBIDDEN" };
const counts = async () =>
  Promise.all([
    prisma.teamNote.count(),
    prisma.message.count(),
    prisma.incidentHistory.count(),
    prisma.auditEntry.count(),
    prisma.teamNoteRevision.count(),
    prisma.messageRevision.count(),
  ]);

beforeEach(() => hold("Responder"));

describe("a role that was lost meanwhile", () => {
  it("lets nobody write, and leaves nothing", async () => {
    const before = await counts();
    await hold();
    await expect(writeNote(context, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    await expect(writeMessage(context, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    await hold("Reporter");
    await expect(writeNote(context, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    const elsewhere = { ...context, incidentId: foreign.id };
    await expect(writeMessage(elsewhere, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    expect(await counts()).toEqual(before);
    expect((await writeMessage(context, { body: "x" })).visibility).toBe("public");
  });

  it("lets nobody edit or remove, also what they wrote themselves", async () => {
    const note = await writeNote(context, { body: "first" });
    const message = await writeMessage(context, { body: "first" });
    const before = await counts();
    await hold();
    await expect(editOwnNote(context, note.id, { body: "second" })).rejects.toMatchObject(FORBIDDEN);
    await expect(editOwnMessage(context, message.id, { body: "second" })).rejects.toMatchObject(FORBIDDEN);
    await expect(removeNote(context, note.id)).rejects.toMatchObject(FORBIDDEN);
    await expect(removeMessage(context, message.id)).rejects.toMatchObject(FORBIDDEN);
    expect(await counts()).toEqual(before);
    await hold("Responder");
    expect((await editOwnNote(context, note.id, { body: "second" })).body).toBe("second");
  });

  it("lets a former Admin remove no words of others", async () => {
    const author = await createUser("Ada Nwosu");
    const note = await prisma.teamNote.create({
      data: { incidentId: incident.id, authorId: author.id, body: "x" },
    });
    await expect(removeNote(context, note.id)).rejects.toMatchObject(FORBIDDEN);
    await hold("Admin");
    await removeNote(context, note.id);
    await expect(removeNote(context, note.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

it("dispatches a note with the people it addresses, and an edit only with those who are newly mentioned", async () => {
  const [ada, berta] = [await createUser("Ada Nwosu"), await createUser("Berta Iversen")];
  await prisma.eventRole.createMany({
    data: [ada, berta].map(({ id }) => ({ eventId: event.id, userId: id, roleName: "Responder" as const })),
  });
  const takeEvents = async () => {
    const rows = await prisma.outboxEvent.findMany({ orderBy: { id: "asc" } });
    await prisma.outboxEvent.deleteMany();
    return rows.map(({ kind, actorId, incidentId, personIds }) => [kind, actorId, incidentId, personIds]);
  };
  await takeEvents();
  const { id } = await writeNote(context, { body: "Have a look.", mentions: [ada.id] });
  expect(await takeEvents()).toEqual([["note.created", user.id, incident.id, [ada.id]]]);
  const change = ["incident.changedInside", user.id, incident.id, []];
  await editOwnNote(context, id, { body: "Have another look.", mentions: [ada.id] });
  expect(await takeEvents()).toEqual([change]);
  await editOwnNote(context, id, { body: "Have another look, @Berta Iversen." });
  expect(await takeEvents()).toEqual([change, ["note.created", user.id, incident.id, [berta.id]]]);
  await removeNote(context, id);
  expect(await takeEvents()).toEqual([change]);
  await writeMessage(context, { body: "Thank you." });
  const [message] = await takeEvents();
  expect(message?.slice(0, 3)).toEqual(["message.created", user.id, incident.id]);
});

it("a message stays the reporter's without their account, and isn't taken for one of a mailbox", async () => {
  const reporter = await createUser("Maya Castillo");
  const { id } = await createIncident({ eventId: event.id, reporterId: reporter.id });
  await createMessage({ incidentId: id, authorId: reporter.id });
  await prisma.user.delete({ where: { id: reporter.id } });
  const { comments } = await listCommentsForTeam(id, { page: 1, limit: 50 });
  expect(comments).toMatchObject([{ author: null, fromMailbox: false }]);
  const message = await prisma.message.findFirstOrThrow({ where: { conversationId: id } });
  expect(message.fromParty).toBe(true);
  await prisma.conversation.update({ where: { id }, data: { closedOn: new Date() } });
  const { comments: ofMailbox } = await listCommentsForTeam(id, { page: 1, limit: 50 });
  expect(ofMailbox).toMatchObject([{ fromMailbox: true }]);
});
