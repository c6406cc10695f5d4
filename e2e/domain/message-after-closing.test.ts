import { expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { refreshLastMessage } from "#lib/incidents/messages.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** What a report says that its reporter writes about after the end, and of its reporter's number. */

async function aClosedReport(data: object = {}) {
  const [reporter, responder] = await Promise.all([createUser("Maya Castillo"), createUser("Omar Aziz")]);
  const event = await createEvent((await createOrganization()).id);
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
  const update = (change: object) => prisma.incident.update({ where: { id }, data: change });
  const isWaiting = async () =>
    (await prisma.incident.findUniqueOrThrow({ where: { id } })).messageAfterClosing;
  const refresh = () => refreshLastMessage(sql, id);
  return { id, reporter, responder, write, update, refresh, isWaiting };
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
  const { reporter, write, update, refresh, isWaiting } = await aClosedReport();
  const { id } = await write(reporter);
  await update({ severity: "low" });
  expect(await isWaiting()).toBe(true);
  await update({ state: "resolved" });
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

it("an incident loses the reporter's phone number with the link to their account", async () => {
  const { id, reporter, update } = await aClosedReport({
    contactMethod: "phone",
    contactPhone: "+1 555 0100",
  });
  await update({ severity: "high" });
  expect(await prisma.incident.findUniqueOrThrow({ where: { id } })).toMatchObject({
    contactPhone: "+1 555 0100",
  });
  await prisma.user.delete({ where: { id: reporter.id } });
  expect(await prisma.incident.findUniqueOrThrow({ where: { id } })).toMatchObject({
    reporterId: null,
    contactPhone: null,
  });
});
