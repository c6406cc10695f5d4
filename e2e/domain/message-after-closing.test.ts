import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { changeState, updateIncident } from "#lib/incidents/state-change.ts";
import { refreshLastMessage } from "#lib/incidents/messages.ts";
import { IncidentChangeInput, IncidentStateChangeInput } from "#lib/incidents/schema.ts";
import { deleteRestoredAccount } from "#lib/own-account/deletion.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** What a report keeps that its reporter writes about after the end, and its reporter's number. */

async function aClosedReport(data: object = {}) {
  const [reporter, responder] = await Promise.all([createUser("Maya Castillo"), createUser("Omar Aziz")]);
  const event = await createEvent((await createOrganization()).id);
  await prisma.eventRole.create({
    data: { eventId: event.id, userId: responder.id, roleName: "Responder" },
  });
  const past = new Date(Date.now() - 3_600_000);
  const { id } = await createIncident({
    eventId: event.id,
    reporterId: reporter.id,
    state: "closed",
    firstResponseAt: past,
    resolvedAt: past,
    createdAt: past,
    ...data,
  });
  const write = (author: { id: string }) => createMessage({ incidentId: id, authorId: author.id });
  const refresh = () => refreshLastMessage(sql, id);
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = { ...(await findActorById(responder.id)), sessionId: randomUUID() };
  const context = {
    organizationId: event.organizationId,
    eventId: event.id,
    actor,
    right: "",
    call,
  } as never;
  const update = (change: object) => updateIncident(context, id, IncidentChangeInput.parse(change));
  const move = (state: string) =>
    changeState(context, id, IncidentStateChangeInput.parse({ state, notes: "Talked to both." }));
  const isWaiting = async () =>
    (await prisma.incident.findUniqueOrThrow({ where: { id } })).messageAfterClosing;
  return { id, reporter, responder, write, update, move, refresh, isWaiting };
}

it("a closed incident waits for the team from the reporter's message until the team writes", async () => {
  const { reporter, responder, write, isWaiting } = await aClosedReport();
  await write(responder);
  expect(await isWaiting()).toBe(false);
  await write(reporter);
  expect(await isWaiting()).toBe(true);
  await write(responder);
  expect(await isWaiting()).toBe(false);
});

it("a closed incident stops waiting when the status changes or the message is removed, and not on another change", async () => {
  const { reporter, write, update, move, refresh, isWaiting } = await aClosedReport();
  const { id } = await write(reporter);
  await update({ severity: "low" });
  expect(await isWaiting()).toBe(true);
  await move("resolved");
  expect(await isWaiting()).toBe(false);
  await write(reporter);
  await prisma.message.delete({ where: { id } });
  await refresh();
  expect(await isWaiting()).toBe(true);
  await prisma.message.deleteMany({ where: { authorId: reporter.id } });
  await refresh();
  expect(await isWaiting()).toBe(false);
});

it("an open incident doesn't wait, since its deadline is running", async () => {
  const { reporter, write, isWaiting } = await aClosedReport({ state: "acknowledged", resolvedAt: null });
  await write(reporter);
  expect(await isWaiting()).toBe(false);
});

it("a reporter's number is deleted with the account, which can't be deleted without it", async () => {
  const { id, reporter } = await aClosedReport({ contactMethod: "phone", contactPhone: "+1 555 0100" });
  await expect(prisma.user.delete({ where: { id: reporter.id } })).rejects.toThrow();
  await runTransaction((tx) => deleteRestoredAccount(tx, reporter.id));
  expect(await prisma.incident.findUniqueOrThrow({ where: { id } })).toMatchObject({
    reporterId: null,
    contactPhone: null,
  });
});
