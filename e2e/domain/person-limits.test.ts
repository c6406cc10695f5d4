import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { computeKeyedHash, computeSessionKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { tryConsumePersonLimit, computePersonLimitRefusalMs } from "#lib/rate-limits/person-limits.ts";
import type { RateLimit } from "#lib/rate-limits/rate-limit-headers.ts";
import { prisma, sql } from "#lib/database/client.ts";

/** Limits of one person hold over processes, and their rows lead to nobody (docs/decisions/029). */

const HOUR: RateLimit = { name: "report", points: 20, seconds: 3600 };
const rows = () => prisma.rateLimit.findMany();
const clear = () => prisma.rateLimit.deleteMany();

const passed = (outcomes: Awaited<ReturnType<typeof tryConsumePersonLimit>>[]): number =>
  outcomes.filter((outcome) => "refund" in outcome).length;

/** The module as another process has it. */
async function anotherProcess(): Promise<typeof tryConsumePersonLimit> {
  vi.resetModules();
  return (await import("#lib/rate-limits/person-limits.ts")).tryConsumePersonLimit;
}

describe("a limit of one person", () => {
  it("holds when many calls come at once to several processes, and for that person alone", async () => {
    const processes = [tryConsumePersonLimit, await anotherProcess(), await anotherProcess()];
    const [person, other] = [randomUUID(), randomUUID()];
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => processes[n % 3]?.(HOUR, person) ?? { refusedForMs: 0 }),
    );
    expect(passed(outcomes)).toBe(20);
    expect(passed([await tryConsumePersonLimit(HOUR, other)])).toBe(1);
    const [refused] = outcomes.filter((outcome) => "refusedForMs" in outcome);
    const { refusedForMs } = refused as { refusedForMs: number };
    expect(refusedForMs).toBeGreaterThan(3_530_000);
    expect(refusedForMs, "the window").toBeLessThanOrEqual(3_600_000);
  });

  it("counts the last hour, whenever it began", async () => {
    const person = randomUUID();
    const limit = { ...HOUR, points: 2 };
    await clear();
    for (const process of [await anotherProcess(), await anotherProcess()])
      expect(passed([await process(limit, person)])).toBe(1);
    expect(passed([await (await anotherProcess())(limit, person)])).toBe(0);
    await sql.$executeRaw`update rate_limits set expire = 0 where key = (select min(key) from rate_limits)`;
    const later = await anotherProcess();
    expect(passed([await later(limit, person), await later(limit, person)])).toBe(1);
  });

  it("is read before a call is counted, by a process that counted none", async () => {
    const person = randomUUID();
    const limit = { ...HOUR, points: 2 };
    const other = await anotherProcess();
    for (const _ of [1, 2]) {
      expect(await computePersonLimitRefusalMs(limit, person)).toBe(0);
      await other(limit, person);
    }
    expect(await computePersonLimitRefusalMs(limit, person)).toBeGreaterThan(3_530_000);
    expect(await computePersonLimitRefusalMs(limit, randomUUID())).toBe(0);
  });

  it("is refunded for a call that failed", async () => {
    const person = randomUUID();
    const limit = { ...HOUR, points: 1 };
    const consumption = await tryConsumePersonLimit(limit, person);
    expect(passed([await tryConsumePersonLimit(limit, person)])).toBe(0);
    if ("refund" in consumption) await consumption.refund();
    expect(passed([await tryConsumePersonLimit(limit, person)])).toBe(1);
  });

  it("of many calls writes a row for every tenth", async () => {
    await clear();
    const limit = { name: "general", points: 600, seconds: 60 };
    const person = randomUUID();
    for (let call = 1; call <= 25; call += 1) await tryConsumePersonLimit(limit, person);
    expect(await rows()).toHaveLength(3);
    const others = await Promise.all(Array.from({ length: 600 }, () => tryConsumePersonLimit(limit, person)));
    expect(passed(others)).toBe(575);
  });
});

describe("rows of limits", () => {
  it("have names that no key of the data folder gives, that never repeat, and that reveal only the minute", async () => {
    await clear();
    const person = randomUUID();
    for (let call = 1; call <= 5; call += 1) await tryConsumePersonLimit(HOUR, person);
    const stored = await rows();
    expect(new Set(stored.map(({ key }) => key)).size).toBe(5);
    for (const { key, points, expire } of stored) {
      expect(key).toMatch(/^[\w-]{43}$/);
      expect([points, Number(expire) % 60_000]).toEqual([1, 0]);
    }
    const period = Math.floor(Date.now() / 3_600_000);
    const texts = Array.from({ length: 20 }, (_, n) => `report ${person} ${period} ${n}`);
    const made = [person, ...texts].flatMap((text) => [
      computeSessionKeyedHash("rate-limit", text),
      Buffer.from(computeKeyedHash("rate-limit", text)).toString("base64url"),
    ]);
    for (const { key } of stored) for (const one of made) expect(key).not.toContain(one.slice(0, 16));
  });

  it("have other names after a restart", async () => {
    const person = randomUUID();
    const limit = { ...HOUR, points: 1 };
    expect(passed([await tryConsumePersonLimit(limit, person)])).toBe(1);
    vi.stubEnv("HEED_MEMORY_KEY", "");
    const restarted = await anotherProcess();
    expect(passed([await restarted(limit, person)])).toBe(1);
    vi.unstubAllEnvs();
  });
});
