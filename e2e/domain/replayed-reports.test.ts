import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { KeyTakenError, sendUnlessSent } from "#lib/idempotency/keys.ts";
import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { NewIncidentInput } from "#lib/incidents/schema.ts";
import { submitReport } from "#lib/incidents/submission.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Reports that are sent again once their sender has lost the role that the first one gave them (contract 7.4). */

ensureSessionSecret(env());

const REPORT = { title: "Shouting at the registration desk", description: "It went on for a while." };

/** An event where anyone with an account may report, and somebody who has no role there. */
async function setUp() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const user = await createUser("Nora Lindqvist");
  const { id: readerId } = await createUser("Omar Reader");
  await prisma.eventRole.create({ data: { eventId: event.id, userId: readerId, roleName: "Responder" } });
  const actor = {
    id: user.id,
    name: user.name,
    email: user.email,
    sessionId: randomUUID(),
    systemAdmin: false,
    organizations: [],
    events: [],
  } as unknown as Actor;
  const send = (idempotencyKey: string, more: object = {}) => {
    const call = { requestId: randomUUID(), responseHeaders: {} as Record<string, string>, files: [] };
    const context = {
      organizationId: organization.id,
      eventId: event.id,
      actor,
      right: "self",
      call: { ...call, idempotencyKey } as unknown as OperationCall,
      withoutRole: true as const,
    };
    const sent = submitReport(context, NewIncidentInput.parse({ ...REPORT, ...more }));
    return sent.then(({ incident }) => ({ incident, headers: call.responseHeaders }));
  };
  const where = { eventId: event.id };
  return {
    event,
    send,
    leave: () => prisma.eventRole.deleteMany({ where: { ...where, userId: user.id } }),
    count: async () => [
      await prisma.incident.count({ where }),
      await prisma.eventRole.count({ where: { ...where, userId: user.id } }),
    ],
  };
}

const answerAndResolve = ({ id }: IncidentRow) =>
  prisma.incident.update({
    where: { id },
    data: {
      title: "Shouting, as the team calls it",
      state: "resolved",
      severity: "high",
      firstResponseAt: new Date(),
      resolvedAt: new Date(),
      updatedAt: new Date(),
      resolution: "We spoke with both.",
    },
  });

it("is the report as it arrived, and gives back no role, for a named sender who has left the event", async () => {
  const { send, leave, count } = await setUp();
  const key = randomUUID();
  const first = await send(key);
  await leave();
  await answerAndResolve(first.incident);
  const again = await send(key);
  expect(again.headers).toEqual({ "Idempotent-Replayed": "true" });
  expect(again.incident).toEqual(first.incident);
  expect(await count()).toEqual([1, 0]);
});

it("is the report as it is now for a named sender who still holds the role", async () => {
  const { send, count } = await setUp();
  const key = randomUUID();
  const first = await send(key);
  await answerAndResolve(first.incident);
  expect((await send(key)).incident).toMatchObject({ id: first.incident.id, state: "resolved" });
  expect(await count()).toEqual([1, 1]);
});

it.each([
  ["a random key", randomUUID()],
  ["a key that can be guessed", "report 1"],
])(
  "is refused with other content under %s, without the path of a report that its sender can't read any more",
  async (_, key) => {
    const { send, leave, count } = await setUp();
    const { incident } = await send(key);
    const reused = { code: "IDEMPOTENCY_KEY_REUSED" };
    const path = `/api/events/${incident.eventId}/incidents/${incident.id}`;
    await expect(send(key, { location: "Hall 2" })).rejects.toMatchObject({
      ...reused,
      headers: { Location: path },
    });
    await leave();
    for (const more of [{ location: "Hall 2" }, { anonymous: true }])
      await expect(send(key, more)).rejects.toMatchObject({ ...reused, headers: {} });
    expect(await count()).toEqual([1, 0]);
  },
);

it("is refused once only people with an invite may report, whether or not it has arrived", async () => {
  const { event, send, leave, count } = await setUp();
  const key = randomUUID();
  await send(key);
  await leave();
  await prisma.event.update({ where: { id: event.id }, data: { isActive: false } });
  for (const one of [key, randomUUID()]) await expect(send(one)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await count()).toEqual([1, 0]);
});

it("looks once more for the report of a concurrent request, and is refused for now if it is gone again", async () => {
  let lookups = 0;
  const findNothing = () => Promise.resolve(((lookups += 1), null));
  const call = { responseHeaders: {} } as OperationCall;
  const sendFailing = (error: Error) => sendUnlessSent(call, findNothing, () => Promise.reject(error));
  await expect(sendFailing(new KeyTakenError())).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    headers: { "Retry-After": "2" },
  });
  expect(lookups).toBe(2);
  const failure = new Error("another failure");
  await expect(sendFailing(failure)).rejects.toBe(failure);
  expect([lookups, call.responseHeaders]).toEqual([3, {}]);
});
