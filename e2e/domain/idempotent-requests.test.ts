import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import { prisma, runSqlTransaction, runTransaction } from "#lib/database/client.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { env } from "#lib/env.ts";
import { runOncePerIdempotencyKey, type IdempotentRequest } from "#lib/idempotency/requests.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { sweepRows } from "#lib/worker/sweep.ts";

/** Requests under an idempotency key whose attempts overlap, fail or never end (docs/decisions/024). */

ensureSessionSecret(env());

let userId: string;
beforeEach(async () => {
  ({ id: userId } = await createUser());
});

const under = (idempotencyKey: string, input: unknown = { title: "One" }): IdempotentRequest => ({
  operation: "createThing",
  actor: { id: userId } as Actor,
  call: { idempotencyKey, files: [], responseHeaders: {} } as unknown as OperationCall,
  container: {},
  params: {},
  input,
  confirm: () => Promise.resolve(),
});

/** An effect that can be counted: a saved view, in a transaction of either kind. */
const effect =
  (transaction: "prisma" | "sql" = "prisma", meanwhile: () => unknown = () => undefined) =>
  async () => {
    const name = randomUUID();
    if (transaction === "prisma")
      await runTransaction(async (tx) => {
        await tx.savedView.create({ data: { userId, name, query: "" } });
        await meanwhile();
      });
    else
      await runSqlTransaction(async (tx) => {
        await tx.$executeRaw`insert into saved_views (user_id, name, query) values (${userId}::uuid, ${name}, '')`;
        await meanwhile();
      });
    return { name };
  };

const countEffects = () => prisma.savedView.count({ where: { userId } });
const row = () => prisma.idempotencyKey.findFirst({ where: { userId } });
const endLease = () =>
  prisma.idempotencyKey.updateMany({ where: { userId }, data: { attemptUntil: new Date(0) } });

const NEVER = new Promise<never>(() => {});
const IN_USE = { code: "IDEMPOTENCY_KEY_IN_USE", status: 409, headers: { "Retry-After": "1" } };
const LOST = { code: "IDEMPOTENCY_RESPONSE_LOST", status: 409 };

/** A promise, and what resolves it. */
function signal(): { arrived: Promise<void>; arrive: () => void } {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  return { arrived, arrive };
}

test("a repeated request has the first one's response and headers, and does nothing", async () => {
  const first = under("k1");
  const response = await runOncePerIdempotencyKey(first, async () => {
    first.call.responseHeaders["Location"] = "/api/things/1";
    return effect()();
  });
  const again = under("k1");
  expect(await runOncePerIdempotencyKey(again, effect())).toEqual(response);
  expect(again.call.responseHeaders).toEqual({ Location: "/api/things/1", "Idempotent-Replayed": "true" });
  expect(await countEffects()).toBe(1);
});

test("other content under the key is refused, and another key, operation or person isn't", async () => {
  await runOncePerIdempotencyKey(under("k2"), effect());
  await expect(runOncePerIdempotencyKey(under("k2", { title: "Two" }), effect())).rejects.toMatchObject({
    code: "IDEMPOTENCY_KEY_REUSED",
    status: 422,
  });
  await runOncePerIdempotencyKey(under("k2 "), effect());
  await runOncePerIdempotencyKey({ ...under("k2"), operation: "createOther" }, effect());
  await runOncePerIdempotencyKey({ ...under("k2"), params: { incidentId: randomUUID() } }, effect());
  await runOncePerIdempotencyKey({ ...under("k2"), container: { organizationId: randomUUID() } }, effect());
  const { id } = await createUser();
  await runOncePerIdempotencyKey({ ...under("k2"), actor: { id } as Actor }, effect());
  expect(await countEffects()).toBe(6);
});

test("the operation's `confirm` check runs before a stored response is returned", async () => {
  const confirm = () => Promise.reject(new AppError("INVALID_CREDENTIALS", "wrongCredentials"));
  await runOncePerIdempotencyKey({ ...under("k1"), confirm }, effect());
  const repeated = runOncePerIdempotencyKey({ ...under("k1"), confirm }, effect());
  await expect(repeated).rejects.toMatchObject({ code: "INVALID_CREDENTIALS" });
  const different = runOncePerIdempotencyKey({ ...under("k1", "guess"), confirm }, effect());
  await expect(different).rejects.toMatchObject({ code: "INVALID_CREDENTIALS" });
});

test.each(["", "a\tb", "ä", "x".repeat(256)])("the key %j is malformed", async (key) => {
  await expect(runOncePerIdempotencyKey(under(key), effect())).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  expect(await row()).toBeNull();
});

test("the row holds neither key nor response in the clear, and no two responses have one seal", async () => {
  await runOncePerIdempotencyKey(under("k3-visible"), async () => ({ secret: "whsec_visible" }));
  const stored = Buffer.concat(Object.values((await row()) ?? {}).filter((one) => one instanceof Uint8Array));
  expect(stored.length).toBeGreaterThan(64);
  for (const word of ["k3-visible", "whsec_visible", "createThing"])
    expect(stored.includes(word), word).toBe(false);
});

test.each(["prisma", "sql"] as const)(
  "while the first is in its %s transaction, the second hears so at once",
  async (kind) => {
    const [begun, go] = [signal(), signal()];
    const first = runOncePerIdempotencyKey(
      under("k4"),
      effect(kind, () => (begun.arrive(), go.arrived)),
    );
    await begun.arrived;
    await expect(runOncePerIdempotencyKey(under("k4"), effect())).rejects.toMatchObject(IN_USE);
    go.arrive();
    await first;
    expect(await runOncePerIdempotencyKey(under("k4"), effect())).toEqual(await first);
    expect(await countEffects()).toBe(1);
  },
);

test("of twenty at once one takes effect", async () => {
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => runOncePerIdempotencyKey(under("k5"), effect())),
  );
  const refused = all.filter((one) => one.status === "rejected").map((one) => one.reason.code);
  expect(new Set(refused).size).toBeLessThanOrEqual(1);
  expect(refused.every((code) => code === IN_USE.code)).toBe(true);
  expect(await countEffects()).toBe(1);
});

test("a refused request leaves its key unused, even after a transaction of its own", async () => {
  const refuse = async () => {
    await effect()();
    throw new AppError("SLUG_TAKEN", "slugTakenByEvent");
  };
  await expect(runOncePerIdempotencyKey(under("k6"), refuse)).rejects.toMatchObject({ code: "SLUG_TAKEN" });
  expect(await row()).toBeNull();
  await runOncePerIdempotencyKey(under("k6", { title: "Corrected" }), effect());
});

test("a failure before the commit leaves the key unused, one after it doesn't", async () => {
  const failing = effect("prisma", () => Promise.reject(new Error("before")));
  await expect(runOncePerIdempotencyKey(under("k7"), failing)).rejects.toThrow("before");
  expect([await row(), await countEffects()]).toEqual([null, 0]);
  const failingLater = async () => {
    await effect()();
    throw new Error("after");
  };
  await expect(runOncePerIdempotencyKey(under("k7"), failingLater)).rejects.toThrow("after");
  await endLease();
  await expect(runOncePerIdempotencyKey(under("k7"), effect())).rejects.toMatchObject(LOST);
  expect(await countEffects()).toBe(1);
});

test("a process that ends before it did anything blocks the key until its lease ends", async () => {
  const begun = signal();
  void runOncePerIdempotencyKey(under("k8"), () => (begun.arrive(), NEVER));
  await begun.arrived;
  expect(await row()).toMatchObject({ tookEffect: false, response: null });
  await expect(runOncePerIdempotencyKey(under("k8"), effect())).rejects.toMatchObject(IN_USE);
  await endLease();
  await runOncePerIdempotencyKey(under("k8"), effect());
  expect(await countEffects()).toBe(1);
});

test("a process that ends between commit and response keeps the key from taking effect again", async () => {
  const done = signal();
  void runOncePerIdempotencyKey(under("k9"), async () => {
    await effect()();
    done.arrive();
    return NEVER;
  });
  await done.arrived;
  await expect(runOncePerIdempotencyKey(under("k9"), effect())).rejects.toMatchObject(IN_USE);
  await endLease();
  await expect(runOncePerIdempotencyKey(under("k9"), effect())).rejects.toMatchObject(LOST);
  expect(await countEffects()).toBe(1);
});

test.each(["prisma", "sql"] as const)(
  "an attempt that outlives its lease and is replaced can't commit a %s transaction",
  async (kind) => {
    const [begun, go] = [signal(), signal()];
    const slow = runOncePerIdempotencyKey(under("k10"), async () => {
      begun.arrive();
      await go.arrived;
      return effect(kind)();
    });
    await begun.arrived;
    await endLease();
    const second = await runOncePerIdempotencyKey(under("k10"), effect());
    go.arrive();
    await expect(slow).rejects.toMatchObject(IN_USE);
    expect(await runOncePerIdempotencyKey(under("k10"), effect())).toEqual(second);
    expect(await countEffects()).toBe(1);
  },
);

test("a timer that an operation leaves behind doesn't count as its effect", async () => {
  const [go, done] = [signal(), signal()];
  await runOncePerIdempotencyKey(under("k11"), async () => {
    void go.arrived.then(() => effect()()).then(done.arrive);
    return {};
  });
  await prisma.idempotencyKey.deleteMany({ where: { userId } });
  go.arrive();
  await done.arrived;
  expect(await countEffects()).toBe(1);
});

test("a day later the key is unknown, and the sweep removes it; a deleted account's at once", async () => {
  await runOncePerIdempotencyKey(under("k12"), effect());
  const DAY_MS = 24 * 3600_000;
  const expireAt = (expiresAt: Date) =>
    prisma.idempotencyKey.updateMany({ where: { userId }, data: { expiresAt } });
  const expiresAt = (await row())?.expiresAt.getTime() ?? 0;
  expect(Math.abs(expiresAt - Date.now() - DAY_MS)).toBeLessThan(60_000);
  await expireAt(new Date(Date.now() + 60_000));
  await sweepRows();
  await runOncePerIdempotencyKey(under("k12"), effect());
  expect(await countEffects()).toBe(1);
  await expireAt(new Date());
  await runOncePerIdempotencyKey(under("k12", { title: "Something else" }), effect());
  expect(await countEffects()).toBe(2);
  await expireAt(new Date());
  await sweepRows();
  expect(await row()).toBeNull();
  await runOncePerIdempotencyKey(under("k13"), effect());
  await prisma.user.delete({ where: { id: userId } });
  expect(await row()).toBeNull();
});
