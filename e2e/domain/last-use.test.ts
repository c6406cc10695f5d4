import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import {
  computeLastUsePeriodStart,
  recordSessionOrTokenLastUse,
  flushLastUses,
} from "#lib/accounts/last-use.ts";
import { createSession } from "#lib/accounts/sessions.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { log } from "#lib/observability/log.ts";

/** Times of last use are written together, in an order that tells nothing (docs/decisions/028). */

type SessionRow = { id: string; xmin: string; at: Date; place: string };

const sessionRows = () =>
  sql.$queryRaw<SessionRow[]>`
    select id, xmin::text as xmin, last_used_at as at, ctid::text as place from sessions order by ctid`;

const AN_HOUR_AGO = new Date(Date.now() - 3600_000);

beforeEach(async () => {
  await prisma.session.deleteMany();
  for (let made = 0; made < 10; made += 1)
    await createSession(prisma, (await createUser(`Person ${made}`)).id, null);
  await prisma.session.updateMany({ data: { lastUsedAt: AN_HOUR_AGO } });
});
afterEach(() => void vi.useRealTimers());

const useInTurn = (rows: SessionRow[]) => {
  for (const { id, at } of rows) recordSessionOrTokenLastUse("sessions", id, at);
};

/** Milliseconds until the current period ends, in which all uses are written. */
const getPeriodRestMs = () => computeLastUsePeriodStart().getTime() + 15 * 60_000 - Date.now();

test("a use alone writes nothing, and the end of its period does", async () => {
  const before = await sessionRows();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [period, restMs] = [computeLastUsePeriodStart().getTime(), getPeriodRestMs()];
  useInTurn(before);
  expect(await sessionRows()).toEqual(before);
  await vi.advanceTimersByTimeAsync(restMs);
  vi.useRealTimers();
  const areWritten = async () => (await sessionRows()).every(({ at }) => at.getTime() === period);
  await expect.poll(areWritten, { timeout: 20_000 }).toBe(true);
});

test("uses are kept while the database refuses them", async () => {
  const warned = vi.spyOn(log, "warn").mockImplementation(() => {});
  const rows = await sessionRows();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [period, restMs] = [computeLastUsePeriodStart().getTime(), getPeriodRestMs()];
  useInTurn(rows);
  await sql.$executeRaw`alter table sessions rename to sessions_away`;
  await vi.advanceTimersByTimeAsync(restMs);
  vi.useRealTimers();
  await expect.poll(() => warned.mock.calls.length, { timeout: 20_000 }).toBe(1);
  await sql.$executeRaw`alter table sessions_away rename to sessions`;
  await flushLastUses();
  for (const { at } of await sessionRows()) expect(at.getTime()).toBe(period);
  warned.mockRestore();
});

test("all that were used are written in one transaction, in no order of their uses", async () => {
  const before = await sessionRows();
  const used = before.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 8);
  const period = computeLastUsePeriodStart();
  useInTurn(used);
  await flushLastUses();
  const written = (await sessionRows()).filter(({ at }) => at.getTime() !== AN_HOUR_AGO.getTime());
  expect(new Set(written.map(({ xmin }) => xmin)).size).toBe(1);
  for (const { at } of written) expect(at).toEqual(period);
  const ids = used.map(({ id }) => id);
  expect(written.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(written.map(({ id }) => id)).not.toEqual(ids);
  await flushLastUses();
  expect((await sessionRows()).map(({ xmin }) => xmin).toSorted()).toEqual(
    [...before.filter(({ id }) => !ids.includes(id)), ...written].map(({ xmin }) => xmin).toSorted(),
  );
});

test("a session that is opened has the beginning of the period as its last use", async () => {
  const { id } = await createUser("New Person");
  const quarterOf = (time: number) => Math.floor(time / 900_000) * 900_000;
  const before = Date.now();
  await createSession(prisma, id, null);
  const [opened] = await prisma.session.findMany({ where: { userId: id } });
  // A new period may begin meanwhile.
  expect([quarterOf(before), quarterOf(Date.now())]).toContain(opened?.lastUsedAt.getTime());
});
