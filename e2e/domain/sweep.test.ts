import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { prisma } from "#lib/database/client.ts";
import { sweepShortLivedRows, sweepRows } from "#lib/worker/sweep.ts";

/** The sweeps remove what has expired, and nothing else. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600_000;
const ago = (ms: number) => new Date(Date.now() - ms);
const token = () => new Uint8Array(randomBytes(32));

it("removes expired links, sessions, API tokens, devices and sign-in delays", async () => {
  const { id: userId } = await createUser();
  const { id: otherId } = await createUser();
  for (const [id, expiresAt] of [
    [userId, ago(MINUTE_MS)],
    [otherId, ago(-MINUTE_MS)],
  ] as const) {
    await prisma.passwordReset.create({ data: { userId: id, tokenHash: token(), expiresAt } });
    const change = { userId: id, newEmail: `${id}@example.org`, requestedBy: id, expiresAt };
    await prisma.emailChange.create({ data: change });
    const verification = { userId: id, email: `${id}@example.org`, tokenHash: token(), expiresAt };
    await prisma.emailVerification.create({ data: verification });
    await prisma.session.create({ data: { userId: id, tokenHash: token(), expiresAt } });
  }
  const unused = {
    userId: otherId,
    tokenHash: token(),
    expiresAt: ago(-DAY_MS),
    lastUsedAt: ago(365 * DAY_MS),
  };
  await prisma.session.create({ data: unused });
  for (const days of [29, 31]) {
    const apiToken = { userId, name: `${days}`, tokenHash: token(), scope: "read" as const };
    await prisma.apiToken.create({ data: { ...apiToken, expiresAt: ago(days * DAY_MS) } });
  }
  for (const days of [364, 366])
    await prisma.knownDevice.create({
      data: { userId, deviceHash: token(), lastSeenAt: ago(days * DAY_MS) },
    });
  for (const minutes of [14, 16])
    await prisma.signInDelay.create({ data: { key: `${minutes}`, updatedAt: ago(minutes * MINUTE_MS) } });
  await sweepRows();
  const remaining = { select: { userId: true } };
  expect(await prisma.passwordReset.findMany(remaining)).toEqual([{ userId: otherId }]);
  expect(await prisma.emailChange.findMany(remaining)).toEqual([{ userId: otherId }]);
  expect(await prisma.emailVerification.findMany(remaining)).toEqual([{ userId: otherId }]);
  expect(await prisma.session.findMany(remaining)).toEqual([{ userId: otherId }]);
  expect(await prisma.apiToken.findMany({ select: { name: true } })).toEqual([{ name: "29" }]);
  expect(await prisma.knownDevice.count()).toBe(1);
  expect(await prisma.signInDelay.findMany({ select: { key: true } })).toEqual([{ key: "14" }]);
});

/** Creates a report with an idempotency key of this age. @returns its id */
async function createIncidentWithKey(ageHours: number): Promise<string> {
  const { id: eventId } = await createEvent((await createOrganization()).id);
  const { id } = await createIncident({ eventId });
  await prisma.idempotencyKey.create({
    data: {
      incidentId: id,
      keyHash: token(),
      contentHash: token(),
      expiresAt: ago((ageHours - 24) * 3600_000),
    },
  });
  return id;
}

const listIncidentsWithKey = async (ids: string[]) =>
  (await prisma.idempotencyKey.findMany({ where: { incidentId: { in: ids } } })).map(
    ({ incidentId }) => incidentId,
  );

it("removes expired idempotency keys, and leaves the others", async () => {
  const [younger, older] = [await createIncidentWithKey(23.9), await createIncidentWithKey(24.1)];
  await sweepRows();
  expect(await listIncidentsWithKey([younger, older])).toEqual([younger]);
});

it("leaves an expired idempotency key that a new report takes over in the meantime", async () => {
  const [old, other] = [await createIncidentWithKey(25), await createIncidentWithKey(0)];
  await prisma.idempotencyKey.deleteMany({ where: { incidentId: other } });
  const takeOver =
    "update idempotency_keys set incident_id = $2, expires_at = now() + interval '1 day' where incident_id = $1";
  await runWhileLocked(takeOver, [old, other], sweepRows);
  expect(await listIncidentsWithKey([old, other])).toEqual([other]);
});

it("removes expired counters, sign-in retries and the input of refused forms", async () => {
  await prisma.signInDelay.create({ data: { key: "person" } });
  for (const minutes of [4, 6])
    await prisma.signInRetry.create({
      data: { key: "person", name: `${minutes}`, allowedAt: ago(minutes * MINUTE_MS) },
    });
  for (const minutes of [-1, 1])
    await prisma.rateLimit.create({
      data: { key: `${minutes}`, expire: ago(minutes * MINUTE_MS).getTime() },
    });
  await prisma.rateLimit.create({ data: { key: "never", expire: null } });
  for (const minutes of [14, 16])
    await prisma.refusedForm.create({ data: { sealed: token(), createdAt: ago(minutes * MINUTE_MS) } });
  await sweepShortLivedRows();
  expect(await prisma.signInRetry.findMany({ select: { name: true } })).toEqual([{ name: "4" }]);
  expect(await prisma.rateLimit.findMany({ select: { key: true }, orderBy: { key: "asc" } })).toEqual([
    { key: "-1" },
    { key: "never" },
  ]);
  expect(await prisma.refusedForm.count()).toBe(1);
});
