import { beforeEach, describe, expect, it } from "vitest";
import type { OperationCall } from "#lib/operation/operation.ts";
import { editMessage, removeMessage, writeMessage } from "#lib/comments/messages.ts";
import { editNote, removeNote, writeNote } from "#lib/comments/notes.ts";
import { prisma } from "#lib/database/client.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Roles that are lost while a request is under way: what was read with the session no longer holds. */

const organization = await createOrganization();
const event = await createEvent(organization.id);
const user = await createUser("Omar Haddad");
const incident = await createIncident({ eventId: event.id, reporterId: user.id });
const foreign = await createIncident({ eventId: event.id });

const call = { requestId: "00000000-0000-4000-8000-000000000000", ifMatch: null } as OperationCall;
const actor = { id: user.id, name: user.name, systemAdmin: false } as Actor;
const doer = {
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
    prisma.reporterMessage.count(),
    prisma.incidentHistory.count(),
    prisma.auditEntry.count(),
    prisma.teamNoteRevision.count(),
    prisma.reporterMessageRevision.count(),
  ]);

beforeEach(() => hold("Responder"));

describe("a role that was lost meanwhile", () => {
  it("lets nobody write, and leaves nothing", async () => {
    const before = await counts();
    await hold();
    await expect(writeNote(doer, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    await expect(writeMessage(doer, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    await hold("Reporter");
    await expect(writeNote(doer, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    const elsewhere = { ...doer, incidentId: foreign.id };
    await expect(writeMessage(elsewhere, { body: "x" })).rejects.toMatchObject(FORBIDDEN);
    expect(await counts()).toEqual(before);
    expect((await writeMessage(doer, { body: "x" })).visibility).toBe("public");
  });

  it("lets nobody edit or remove, also what they wrote themselves", async () => {
    const note = await writeNote(doer, { body: "first" });
    const message = await writeMessage(doer, { body: "first" });
    const before = await counts();
    await hold();
    await expect(editNote(doer, note.id, { body: "second" })).rejects.toMatchObject(FORBIDDEN);
    await expect(editMessage(doer, message.id, { body: "second" })).rejects.toMatchObject(FORBIDDEN);
    await expect(removeNote(doer, note.id)).rejects.toMatchObject(FORBIDDEN);
    await expect(removeMessage(doer, message.id)).rejects.toMatchObject(FORBIDDEN);
    expect(await counts()).toEqual(before);
    await hold("Responder");
    expect((await editNote(doer, note.id, { body: "second" })).body).toBe("second");
  });

  it("lets a former Admin remove no words of others", async () => {
    const author = await createUser("Ada Nwosu");
    const note = await prisma.teamNote.create({
      data: { incidentId: incident.id, authorId: author.id, body: "x" },
    });
    await expect(removeNote(doer, note.id)).rejects.toMatchObject(FORBIDDEN);
    await hold("Admin");
    await removeNote(doer, note.id);
    await expect(removeNote(doer, note.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
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
  const { id } = await writeNote(doer, { body: "Have a look.", mentions: [ada.id] });
  expect(await takeEvents()).toEqual([["note.created", user.id, incident.id, [ada.id]]]);
  const change = ["incident.changedInside", user.id, incident.id, []];
  await editNote(doer, id, { body: "Have another look.", mentions: [ada.id] });
  expect(await takeEvents()).toEqual([change]);
  await editNote(doer, id, { body: "Have another look, @Berta Iversen." });
  expect(await takeEvents()).toEqual([change, ["note.created", user.id, incident.id, [berta.id]]]);
  await removeNote(doer, id);
  expect(await takeEvents()).toEqual([change]);
  await writeMessage(doer, { body: "Thank you." });
  const [message] = await takeEvents();
  expect(message?.slice(0, 3)).toEqual(["message.created", user.id, incident.id]);
});
