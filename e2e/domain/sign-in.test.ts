import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { createUser } from "#e2e/support/rows.ts";
import { signIn } from "#lib/accounts/accounts.ts";
import type { HashingTask } from "#lib/accounts/hash-worker.ts";
import { COMMAND_PASSWORD_HASHING_LANE } from "#lib/accounts/hash-pool.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import { delayNextPasswordAttempt } from "#lib/accounts/sign-in-delay.ts";
import { generateRecoveryCodes, hashRecoveryCode } from "#lib/accounts/recovery-codes.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { sealText } from "#lib/crypto/sealed-text.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/**
 * The work of a refused sign-in, by which nobody may tell whether an address has an account (contract 4.2), and
 * sign-ins that race with what ends all sessions (contract 4.4).
 */

ensureSessionSecret(env());

const { PASSWORD_COST } = env();
const COST = 5;
beforeAll(() => void (env().PASSWORD_COST = COST));
afterAll(() => void (env().PASSWORD_COST = PASSWORD_COST));

let addresses = 0;

/** Returns what a wrong password gives its sender and the hash worker: lib/accounts/bcrypt.test.ts counts that work. */
async function refuseSignIn(email: string) {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  addresses += 1;
  const call = { requestId: "r", address: `192.0.2.${addresses}`, userAgent: null, device: null };
  const input = { email, password: "not the right one", code: undefined };
  const error: { code?: string; message?: string } = await signIn(input, call).catch((reason) => reason);
  const tasks = posted.mock.calls.map(([task]) => task as HashingTask);
  posted.mockRestore();
  return {
    refusal: [error.code, error.message],
    tasks: tasks.map((task) => ({ ...task, ...("hash" in task && { hash: task.hash.slice(0, 7) }) })),
  };
}

test("a wrong password is compared at the same cost with an account, a disabled one, and without one", async () => {
  const passwordHash = await hashPassword("seven small lanterns", COMMAND_PASSWORD_HASHING_LANE);
  const [active, disabled] = [await createUser("Maya"), await createUser("Former")];
  for (const { id } of [active, disabled])
    await prisma.user.update({ where: { id }, data: { passwordHash } });
  await prisma.user.update({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  const compared = {
    refusal: ["INVALID_CREDENTIALS", expect.any(String)],
    tasks: [{ kind: "compare", password: "not the right one", hash: "$2b$05$", cost: COST }],
  };
  const emails = [active.email, disabled.email, "nobody@example.org"];
  const refused = [];
  for (const email of emails) refused.push(await refuseSignIn(email));
  expect(refused).toEqual(emails.map(() => compared));
});

test("the wait after each failure doubles from half a second, up to half a minute", async () => {
  const key = "guessed";
  const waits = [0, 0, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30];
  for (const [at, wait] of waits.entries()) {
    const row = { failures: at + 1, nextAllowed: new Date(0) };
    await prisma.signInDelay.upsert({ where: { key }, create: { key, ...row }, update: row });
    const before = Date.now();
    await delayNextPasswordAttempt({ key, retry: "", failuresBefore: at, reservedUntil: "" });
    const after = Date.now();
    const { nextAllowed } = await prisma.signInDelay.findUniqueOrThrow({ where: { key } });
    const begun = nextAllowed.getTime() - wait * 1000;
    expect(begun, `wait after failure ${at + 1}`).toBeGreaterThanOrEqual(before - 1);
    expect(begun, `wait after failure ${at + 1}`).toBeLessThanOrEqual(after + 1);
  }
});

const PASSWORD = "seven small lanterns";

/** An account with a password and, if wanted, a second factor. */
async function createAccount({ withFactor = false } = {}) {
  const passwordHash = await hashPassword(PASSWORD, COMMAND_PASSWORD_HASHING_LANE);
  const { id, email } = await createUser("Maya");
  await prisma.user.update({ where: { id }, data: { passwordHash } });
  const [code = ""] = generateRecoveryCodes();
  const secret = new Uint8Array(Buffer.from(sealText(`second-factor:${id}`, "ABCDEFGHIJKLMNOP")));
  if (withFactor) {
    await prisma.secondFactor.create({ data: { userId: id, secret, confirmedAt: new Date() } });
    await prisma.recoveryCode.create({ data: { userId: id, codeHash: hashRecoveryCode(id, code) } });
  }
  addresses += 1;
  const call = {
    requestId: crypto.randomUUID(),
    address: `192.0.2.${addresses}`,
    userAgent: null,
    device: null,
  };
  return {
    id,
    secret,
    signIn: () => signIn({ email, password: PASSWORD, ...(withFactor && { code }) }, call),
    countSessions: () => prisma.session.count({ where: { userId: id } }),
    countUnusedCodes: () => prisma.recoveryCode.count({ where: { userId: id, usedAt: null } }),
    listFailures: () => prisma.signInDelay.findMany({ select: { failures: true } }),
  };
}

test.each([
  ["the password has been replaced", "password_hash = 'another'"],
  ["the account has been disabled", "disabled_at = now()"],
  ["the account has got another address", "email = 'new.' || email"],
])("opens no session if %s since the password was compared", async (_, change) => {
  const { id, signIn: attempt, countSessions } = await createAccount();
  const endSessions = `with ended as (delete from sessions where user_id = $1) update users set ${change} where id = $1`;
  await expect(runWhileLocked(endSessions, [id], attempt)).rejects.toMatchObject({
    code: "INVALID_CREDENTIALS",
  });
  expect(await countSessions()).toBe(0);
});

test("opens no session without a code if the account has got a second factor since the password was compared", async () => {
  const { id, secret, signIn: attempt, countSessions } = await createAccount();
  const addFactor = `with locked as (select id from users where id = $1 for no key update)
    insert into second_factors (user_id, secret, confirmed_at) select id, $2, now() from locked`;
  await expect(runWhileLocked(addFactor, [id, secret], attempt)).rejects.toMatchObject({
    code: "SECOND_FACTOR_NEEDED",
  });
  expect(await countSessions()).toBe(0);
});

test("leaves a recovery code unused if no session is opened with it, and uses it up with one", async () => {
  const {
    signIn: attempt,
    countSessions,
    countUnusedCodes,
    listFailures,
  } = await createAccount({
    withFactor: true,
  });
  await prisma.signInDelay.deleteMany();
  await sql.$executeRaw`alter table known_devices add constraint no_more check (false) not valid`;
  await expect(attempt()).rejects.toThrow();
  expect([await countSessions(), await countUnusedCodes()]).toEqual([0, 1]);
  expect(await listFailures()).toEqual([{ failures: 0 }]);
  await sql.$executeRaw`alter table known_devices drop constraint no_more`;
  await attempt();
  expect([await countSessions(), await countUnusedCodes()]).toEqual([1, 0]);
  expect(await listFailures()).toEqual([]);
  await expect(attempt()).rejects.toMatchObject({ code: "SECOND_FACTOR_INVALID" });
  expect(await countSessions()).toBe(1);
});
