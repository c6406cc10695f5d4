import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { closeMailbox } from "#lib/conversations/mailbox.ts";
import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { deadlineSql } from "#lib/incidents/deadline-sql.ts";
import { refreshLastMessage } from "#lib/incidents/messages.ts";
import { env } from "#lib/env.ts";
import { IncidentChangeInput } from "#lib/incidents/schema.ts";
import { updateIncident } from "#lib/incidents/state-change.ts";
import { confirmIntake, fileIntake } from "#lib/conversations/intakes.ts";
import { ConfirmedIntakeText, NewIntakeInput } from "#lib/conversations/intake-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { deleteRestoredAccount } from "#lib/own-account/deletion.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** Which deadline of an incident runs, and who has the last word. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACKNOWLEDGED = {
  state: Prisma.sql`'acknowledged'::incident_state`,
  first_response_at: Prisma.sql`now() - interval '1 second'`,
};
const SUBMITTED = { state: Prisma.sql`'submitted'::incident_state` };
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

async function aReport(data: object = {}) {
  const [reporter, responder] = await Promise.all([createUser("Maya Castillo"), createUser("Omar Aziz")]);
  const event = await createEvent((await createOrganization()).id);
  const incident = await createIncident({ eventId: event.id, reporterId: reporter.id, ...data });
  const say = (author: { id: string }, createdAt = new Date(), waitForReporter = false) =>
    createMessage({
      incidentId: incident.id,
      authorId: author.id,
      body: "A word.",
      createdAt,
      waitForReporter,
    });
  const change = (changes: Parameters<typeof deadlineSql>[0] = {}) => sql.$executeRaw`
    update incidents i set ${Prisma.join([...Object.entries(changes).map(([name, value]) => Prisma.sql`${Prisma.raw(name)} = ${value}`), deadlineSql(changes)])}
    where i.id = ${incident.id}::uuid`;
  const now = () => prisma.incident.findUniqueOrThrow({ where: { id: incident.id } });
  return { event, incident, reporter, responder, say, change, now };
}

it("runs from the latest of response, reopening and the reporter's message", async () => {
  const times = { firstResponseAt: ago(9 * DAY_MS), createdAt: ago(10 * DAY_MS) };
  const { reporter, say, change, now } = await aReport({ state: "acknowledged", ...times });
  expect(await now()).toMatchObject({ dueFor: "update", dueSince: times.firstResponseAt });
  const reopenedAt = ago(2 * DAY_MS);
  await change({ reopened_at: Prisma.sql`${reopenedAt}::timestamptz` });
  expect(await now()).toMatchObject({ dueSince: reopenedAt });
  const wrote = ago(HOUR_MS);
  await say(reporter, wrote);
  expect(await now()).toMatchObject({
    lastMessageFrom: "reporter",
    dueSince: wrote,
    dueAt: new Date(wrote.getTime() + 7 * DAY_MS),
  });
});

it("goes on to the first response where a report went back to submitted, as after an acknowledgement by mistake", async () => {
  const { change, now } = await aReport();
  const before = await now();
  expect(before).toMatchObject({ dueFor: "acknowledge", dueSince: before.createdAt });
  await change(ACKNOWLEDGED);
  expect(await now()).toMatchObject({ dueFor: "update" });
  await change(SUBMITTED);
  const { dueFor, dueSince, dueAt } = before;
  expect(await now()).toMatchObject({ dueFor, dueSince, dueAt });
});

it("keeps the period that it started with, whatever else changes", async () => {
  const { event, change, now } = await aReport();
  const { dueAt, createdAt } = await now();
  expect(dueAt).toEqual(new Date(createdAt.getTime() + 24 * HOUR_MS));
  await prisma.eventReportSettings.create({ data: { eventId: event.id, answerWithinHours: 1 } });
  await change();
  expect((await now()).dueAt).toEqual(dueAt);
});

it("takes the last message by its time and not by when it was stored, and ends without a reporter", async () => {
  const { incident, reporter, responder, say, now } = await aReport({
    state: "acknowledged",
    firstResponseAt: ago(DAY_MS),
  });
  const last = await say(responder, ago(HOUR_MS), true);
  await say(reporter, ago(2 * HOUR_MS));
  expect(await now()).toMatchObject({ lastMessageFrom: "team", awaitsReporter: true, dueAt: null });
  await prisma.message.delete({ where: { id: last.id } });
  await refreshLastMessage(sql, incident.id);
  expect(await now()).toMatchObject({ lastMessageFrom: "reporter", awaitsReporter: false, dueFor: "update" });
  await runTransaction((tx) => deleteRestoredAccount(tx, reporter.id));
  expect(await now()).toMatchObject({ dueFor: null, dueSince: null, dueAt: null });
});

it("stays correct under concurrent messages and status changes", async () => {
  const { reporter, responder, say, change, now } = await aReport();
  const states = ["acknowledged", "investigating", "acknowledged", "investigating"] as const;
  await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => say(n % 2 ? reporter : responder, ago(n * HOUR_MS), n % 2 === 0)),
    ...states.map((state) => change({ ...ACKNOWLEDGED, state: Prisma.sql`${state}::incident_state` })),
  ]);
  await change({ state: Prisma.sql`'investigating'::incident_state` });
  expect(await now()).toMatchObject({ lastMessageFrom: "team", dueFor: null, dueAt: null });
});

it("starts again with a message of the team, and stops only where the team chose to wait, until the reporter writes", async () => {
  const { incident, reporter, responder, say, now } = await aReport({
    state: "acknowledged",
    firstResponseAt: ago(6 * DAY_MS),
  });
  const wrote = ago(5 * HOUR_MS);
  await say(responder, wrote);
  const running = { dueFor: "update", dueSince: wrote, dueAt: new Date(wrote.getTime() + 7 * DAY_MS) };
  expect(await now()).toMatchObject({ lastMessageFrom: "team", awaitsReporter: false, ...running });
  const requested = await say(responder, ago(4 * HOUR_MS), true);
  expect(await now()).toMatchObject({ awaitsReporter: true, dueFor: null, dueAt: null });
  await prisma.message.delete({ where: { id: requested.id } });
  await refreshLastMessage(sql, incident.id);
  expect(await now()).toMatchObject({ awaitsReporter: false, ...running });
  await say(responder, ago(3 * HOUR_MS), true);
  // The choice is the team's alone.
  await say(reporter, ago(2 * HOUR_MS), true);
  expect(await now()).toMatchObject({ lastMessageFrom: "reporter", awaitsReporter: false, dueFor: "update" });
});

it("is minutes for an urgent report, whatever the event promises, until it leaves submitted", async () => {
  const { event, change, now } = await aReport({ urgent: true, severity: "critical" });
  await prisma.eventReportSettings.create({ data: { eventId: event.id, answerWithinHours: 48 } });
  const { createdAt, ...before } = await now();
  const due = new Date(createdAt.getTime() + env().URGENT_DEADLINE_MINUTES * 60_000);
  expect(before).toMatchObject({ urgent: true, dueFor: "acknowledge", dueAt: due });
  await change();
  expect(await now()).toMatchObject({ urgent: true, dueAt: due });
  await change(ACKNOWLEDGED);
  expect(await now()).toMatchObject({ urgent: false, dueFor: "update" });
  await change(SUBMITTED);
  expect(await now()).toMatchObject({ urgent: false, dueAt: new Date(createdAt.getTime() + 48 * HOUR_MS) });
});

it("begins with the report, and follows the mailbox of a reporter without an account", async () => {
  const { id: organizationId } = await createOrganization();
  const { id: eventId } = await createEvent(organizationId);
  await prisma.eventReportSettings.create({ data: { eventId, answerWithinHours: 2 } });
  const { id: userId } = await createUser("Omar Aziz");
  await prisma.eventRole.create({ data: { eventId, userId, roleName: "Responder" } });
  const actor = { ...((await findActorById(userId)) as Actor), sessionId: randomUUID() };
  const call = {
    requestId: randomUUID(),
    responseHeaders: {},
    files: [],
    ifMatch: null,
    idempotencyKey: null,
  };
  const context: any = { organizationId, eventId, actor, right: "event:Responder", call };
  const take = (severity: string | null) => fileIntake(context, NewIntakeInput.parse({ ...TAKEN, severity }));
  const find = ({ id }: { id: string }) => prisma.incident.findUniqueOrThrow({ where: { id } });

  const urgent = await find(await take("critical"));
  expect(urgent).toMatchObject({ urgent: true, dueFor: "acknowledge", dueSince: urgent.createdAt });
  expect(urgent.dueAt).toEqual(urgent.firstResponseDueAt);
  const minutes = env().URGENT_DEADLINE_MINUTES;
  expect(urgent.dueAt).toEqual(new Date(urgent.createdAt.getTime() + minutes * 60_000));

  const { id } = await take(null);
  const taken = await find({ id });
  expect(taken).toMatchObject({ urgent: false, dueFor: "acknowledge", dueSince: taken.createdAt });
  expect(taken.dueAt).toEqual(new Date(taken.createdAt.getTime() + 2 * HOUR_MS));
  expect(taken.dueAt).toEqual(taken.firstResponseDueAt);
  await updateIncident(context, id, IncidentChangeInput.parse({ state: "acknowledged" }));
  expect(await find({ id })).toMatchObject({ dueFor: null, dueSince: null, dueAt: null });
  const { receipt } = await confirmIntake({ ...context, incidentId: id }, ConfirmedIntakeText.parse({}));
  const { firstResponseAt } = await find({ id });
  expect(await find({ id })).toMatchObject({ hasMailbox: true, dueFor: "update", dueSince: firstResponseAt });
  const session = { wordsHash: Buffer.from(hashReceipt(receipt)).toString("base64url") };
  const mailbox = { ...context, incidentId: id, conversationId: id, party: "reporter", session };
  await closeMailbox({ ...mailbox, call: { ...call, setCookie: () => {} } });
  expect(await find({ id })).toMatchObject({ hasMailbox: false, dueFor: null, dueSince: null, dueAt: null });
});

const TAKEN = { title: "Shouting at the desk", description: "It went on for a while.", channel: "in_person" };
